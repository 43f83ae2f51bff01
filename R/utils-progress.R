#' A progress bar as two functions: tick(finished) and done(). NULL ticks cost nothing.
#' @noRd
progress_bar <- function(show, total, what) {
  if (!show) return(list(tick = NULL, done = function() invisible()))
  id <- cli::cli_progress_bar(
    what, total = total, clear = TRUE, .auto_close = FALSE,
    format = paste0(what, " {cli::pb_bar} {cli::pb_percent} | ETA: {cli::pb_eta}")
  )
  list(
    tick = function(finished) cli::cli_progress_update(set = finished, id = id),
    done = function() cli::cli_progress_done(id = id)
  )
}

#' The same in bytes; a `total` that is not known is `NULL`.
#' @noRd
byte_bar <- function(show, total, what) {
  if (!show) return(list(tick = function(bytes) NULL, done = function() invisible()))
  id <- cli::cli_progress_bar(
    what, total = if (is.null(total)) NA else total, clear = TRUE, .auto_close = FALSE,
    format = paste0(
      what, " {cli::pb_current_bytes}", if (!is.null(total)) " of {cli::pb_total_bytes}",
      " | {cli::pb_rate_bytes}"
    )
  )
  list(
    # a bar that has come to its total is gone, and there may be more to say
    tick = function(bytes) cli::cli_progress_update(set = min(bytes, total - 1), id = id),
    done = function() cli::cli_progress_done(id = id)
  )
}
