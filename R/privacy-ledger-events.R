# Events as text, exact to the last bit: JSON of the columns that say something, numbers with 17
# digits; 1e999 is infinite. When something was released is left out, and what is alike is counted.

events_to_json <- function(events) {
  counted <- counted_events(events)
  columns <- unclass(counted)[names(.event_columns)]
  default <- mapply(function(x, d) all(is.na(x) & is.na(d) | x %in% d), columns, .event_columns)
  texts <- lapply(columns[!default], function(x) {
    if (length(unique(x)) == 1L) x <- x[1L]
    text <- if (is.numeric(x)) {
      ifelse(is.na(x), "null", sub("Inf", "1e999", sprintf("%.17g", x)))
    } else if (is.logical(x)) {
      ifelse(is.na(x), "null", tolower(x))
    } else {
      known <- unique(x)
      vapply(known, json_text, "")[match(x, known)]
    }
    if (length(x) == 1L) text else sprintf("[%s]", paste(text, collapse = ","))
  })
  texts <- c(list(rows = sprintf("%d", nrow(counted))), texts)
  sprintf("{%s}", paste0('"', names(texts), '":', unlist(texts), collapse = ","))
}

#' @param x one string, or NA.
#' @noRd
json_text <- function(x) {
  if (is.na(x)) return("null")
  if (grepl("^[A-Za-z0-9_. +-]*$", x)) return(paste0("\"", x, "\"")) # as jsonlite has it, sooner
  as.character(jsonlite::toJSON(x, auto_unbox = TRUE))
}

events_from_json <- function(text) {
  given <- jsonlite::fromJSON(text)
  columns <- lapply(stats::setNames(nm = names(.event_columns)), function(name) {
    x <- given[[name]]
    if (is.null(x)) x <- .event_columns[[name]]
    storage.mode(x) <- storage.mode(.event_columns[[name]])
    rep_len(x, given$rows)
  })
  as_releases(columns, "dp_events")
}

#' What accountants do not read is left out; alike releases are one row with their number.
#' @noRd
counted_events <- function(events) {
  events <- as_releases(
    unclass(with_event_columns(events))[names(.event_columns)], "dp_events"
  )
  events$iteration <- events$tolerance <- rep(NA_real_, nrow(events))
  alike <- row_kind(columns_but(events, "count"))
  first <- which(!duplicated(alike))
  count <- group_sums(as.double(events$count), alike, length(first))
  events <- pick_releases(events, first)
  events$count <- count
  events
}
