# Means and ranges over repetitions: a table, and what figures of experiments are drawn from.

#' @rdname plot.dpadmm_experiment
#' @export
summary.dpadmm_experiment <- function(object, y, by = NULL, ...) {
  check_no_dots(...)
  if (is.null(by)) by <- settings_names(object)
  lapply(by, check_column, object, "by")
  check_column(y, object, "y", numeric = TRUE)
  range_table(object, y, by)
}

settings_names <- function(data) names(data)[seq_len(match("repetition", names(data)) - 1L)]

check_column <- function(name, data, argument, numeric = FALSE) {
  check_choice(name, names(data), argument)
  if (numeric && !is.numeric(data[[name]])) {
    abort("argument",
      sprintf("`%s` must be a column of numbers; \"%s\" is not.", argument, name),
      argument = argument, value = name
    )
  }
}

#' Mean and range of y over the rows that agree in `by`, in the order of the rows.
#' @noRd
range_table <- function(data, y, by) {
  class(data) <- "data.frame"
  texts <- unname(lapply(data[by], format, digits = 17L))
  key <- do.call(paste, c(list(rep("", nrow(data))), texts, sep = "\r"))
  first <- which(!duplicated(key))
  values <- split(data[[y]], factor(key, key[first]))
  values <- lapply(values, function(v) v[!is.na(v)])
  of <- function(f) {
    one <- function(v) if (length(v)) as.double(f(v)) else NA_real_
    vapply(values, one, 0, USE.NAMES = FALSE)
  }
  data.frame(data[first, by, drop = FALSE],
    mean = of(mean), lowest = of(min), highest = of(max),
    runs = lengths(values, use.names = FALSE), check.names = FALSE, row.names = NULL
  )
}

#' What a figure shows: place (x), mean, lowest, highest, runs, group, facet1, facet2, panel.
#' Strings are in the order in which they come.
#' @noRd
drawn_data <- function(data, x, y, group, facet, log) {
  check_column(x, data, "x")
  check_column(y, data, "y", numeric = TRUE)
  lapply(group, check_column, data, "group")
  lapply(facet, check_column, data, "facet")
  if (length(facet) > 2L) {
    abort("shape", "`facet` must have at most two names.",
      argument = "facet", value = length(facet)
    )
  }
  check_choice(log, c("", "x", "y", "xy", "yx"), "log")
  by <- unique(c(x, group, facet))
  check_varies(data, y, by)
  table <- range_table(data, y, by)
  table <- table[!is.na(table$mean), ]
  if (nrow(table) == 0L) {
    abort("missing", sprintf("All values of `%s` are missing.", y), argument = "y", value = y)
  }
  place <- table[[x]]
  out <- data.frame(
    place = if (is.numeric(place)) place else in_order(place),
    table[c("mean", "lowest", "highest", "runs")],
    group = joined(table[group]), panel = joined(table[facet])
  )
  for (k in seq_along(facet)) out[[paste0("facet", k)]] <- joined(table[facet[k]])
  if (grepl("x", log) && is.numeric(place)) check_log_axis(place, x, log)
  if (grepl("y", log)) check_log_axis(out$lowest, y, log)
  out
}

#' Nothing but the repetition may vary among rows that agree in `by`.
#' @noRd
check_varies <- function(data, y, by) {
  class(data) <- "data.frame"
  if (!("repetition" %in% names(data))) return(invisible())
  twice <- duplicated(data[c(by, setdiff("repetition", by))])
  if (!any(twice)) return(invisible())
  k <- which(twice)[1L]
  here <- Reduce(`&`, lapply(data[c(by, "repetition")], function(v) v %in% v[k]))
  others <- data[setdiff(names(data), y)]
  differ <- names(Filter(function(v) length(unique(v[here])) > 1L, others))
  settings <- intersect(differ, settings_names(data))
  if (length(settings)) differ <- settings
  words <- if (length(differ)) sprintf(" (%s)", paste0("`", differ, "`", collapse = ", ")) else ""
  abort("argument", sprintf(
    "Something varies besides the repetitions%s: name it in `group` or `facet`, or take a subset.",
    words
  ), argument = "group", place = differ)
}

check_log_axis <- function(values, name, log) {
  if (any(values <= 0)) {
    abort("argument", sprintf("A logarithmic axis needs positive values of `%s`.", name),
      argument = "log", value = log
    )
  }
}

#' Strings as a factor, in the order in which they come.
#' @noRd
in_order <- function(v) if (is.factor(v)) droplevels(v) else factor(v, unique(v))

#' Some columns as one factor; numbers are in their own order.
#' @noRd
joined <- function(columns) {
  if (length(columns) == 0L) return(factor(rep("", nrow(columns))))
  if (length(columns) == 1L && !is.numeric(columns[[1L]])) return(in_order(columns[[1L]]))
  ranks <- lapply(columns, function(v) if (is.numeric(v)) v else as.integer(in_order(v)))
  text <- do.call(paste, c(unname(lapply(columns, as.character)), sep = ", "))
  factor(text, unique(text[do.call(order, unname(ranks))]))
}
