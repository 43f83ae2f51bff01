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
