# Argument checks shared by the whole package. Each returns its (possibly
# coerced) value or raises a classed error naming the argument and the place.

#' Where in a vector or matrix something is wrong, for a message: "position 3",
#' "row 2, column 5" and, when there are more, how many.
#' @noRd
where_first <- function(bad, dim = NULL) {
  at <- which(bad)
  place <- if (length(dim) == 2L) {
    sprintf("row %d, column %d", (at[1L] - 1L) %% dim[1L] + 1L, (at[1L] - 1L) %/% dim[1L] + 1L)
  } else {
    sprintf("position %d", at[1L])
  }
  if (length(at) > 1L) sprintf("%s (and %d more)", place, length(at) - 1L) else place
}

describe_range <- function(lower, upper, open_lower, open_upper) {
  if (is.infinite(lower) && is.infinite(upper)) return("a finite number")
  sprintf(
    "in %s%s, %s%s", if (open_lower || is.infinite(lower)) "(" else "[", format(lower),
    format(upper), if (open_upper || is.infinite(upper)) ")" else "]"
  )
}

#' Numbers within a range. `length` is the set of allowed lengths (NULL: any).
#' @noRd
check_numbers <- function(x, argument, lower = -Inf, upper = Inf,
                          open_lower = FALSE, open_upper = FALSE,
                          length = NULL, whole = FALSE, infinite = FALSE) {
  if (!is.numeric(x) || base::length(x) == 0L) {
    abort("argument", sprintf("`%s` must be numeric, not %s.", argument, kind_of(x)),
      argument = argument, value = if (is.atomic(x) && base::length(x) == 1L) x
    )
  }
  if (!is.null(length) && !(base::length(x) %in% length)) {
    abort("shape", sprintf(
      "`%s` must have length %s, not %d.", argument,
      paste(unique(length), collapse = " or "), base::length(x)
    ), argument = argument, value = base::length(x))
  }
  ends <- c(min(x), max(x)) # range() would copy
  if (all(is.finite(ends)) && ends[1L] >= lower && ends[2L] <= upper &&
    !(open_lower && ends[1L] == lower) && !(open_upper && ends[2L] == upper) &&
    !(whole && is.double(x) && any(x != round(x)))) {
    return(if (is.integer(x)) x * 1 else x) # all is well: no work vectors
  }
  if (any(bad <- is.na(x) & !is.nan(x))) {
    abort("missing", sprintf("`%s` has a missing value at %s.", argument, where_first(bad, dim(x))),
      argument = argument, place = which(bad)[1L]
    )
  }
  if (any(bad <- if (infinite) is.nan(x) else !is.finite(x))) {
    abort("finite", sprintf(
      "`%s` must be finite; it is %s at %s.", argument, format(x[bad][1L]),
      where_first(bad, dim(x))
    ), argument = argument, value = x[bad][1L], place = which(bad)[1L])
  }
  low <- if (open_lower) x <= lower else x < lower
  high <- if (open_upper) x >= upper else x > upper
  bad <- (low & lower > -Inf) | (high & upper < Inf)
  if (whole) bad <- bad | x != round(x)
  if (any(bad)) {
    abort("argument", sprintf(
      "`%s` must be %s%s, not %s%s.", argument, if (whole) "a whole number " else "",
      describe_range(lower, upper, open_lower, open_upper), format(x[bad][1L]),
      if (base::length(x) > 1L) paste0(" (", where_first(bad, dim(x)), ")") else ""
    ), argument = argument, value = x[bad][1L], place = which(bad)[1L])
  }
  if (is.integer(x)) storage.mode(x) <- "double"
  x
}

#' One number within a range.
#' @noRd
check_number <- function(x, argument, ...) {
  check_numbers(x, argument, length = 1L, ...)
}

#' Numbers of which some may be unknown, `NA`.
#' @noRd
check_known <- function(x, argument, ...) {
  known <- if (is.atomic(x) && anyNA(x)) x[!is.na(x) | is.nan(x)] else x
  if (!is.atomic(x) || length(known)) check_numbers(known, argument, ...)
  x
}

check_flags <- function(x, argument) {
  if (!is.logical(x) || anyNA(x)) {
    abort("argument", sprintf("`%s` must be TRUE or FALSE.", argument),
      argument = argument, value = x
    )
  }
  x
}

check_flag <- function(x, argument) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) {
    abort("argument", sprintf("`%s` must be TRUE or FALSE.", argument),
      argument = argument, value = x
    )
  }
  x
}

#' One of a set of names; the first is the default when the whole set is given.
#' @noRd
check_choice <- function(x, choices, argument) {
  if (identical(x, choices)) return(choices[1L])
  if (!is.character(x) || length(x) != 1L || is.na(x) || !(x %in% choices)) {
    abort("argument", sprintf(
      "`%s` must be one of %s, not %s.", argument,
      paste0('"', choices, '"', collapse = ", "),
      if (is.character(x) && length(x) == 1L) paste0('"', x, '"') else kind_of(x)
    ), argument = argument, value = x)
  }
  x
}

#' An object of one of our classes.
#' @noRd
check_class <- function(x, class, argument, how) {
  if (!inherits(x, class)) not_made_by(x, argument, how)
  x
}

#' What a generic of ours has no method for.
#' @noRd
not_made_by <- function(x, argument, how) {
  abort("argument", sprintf("`%s` must be made by %s, not %s.", argument, how, kind_of(x)),
    argument = argument
  )
}

#' Short words for what an object is: never its contents.
#' @noRd
kind_of <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.atomic(x) && is.null(attributes(x)) && length(x) == 1L) {
    return(sprintf("the %s %s", typeof(x), format(x)))
  }
  if (is.matrix(x) && !is.object(x)) return(sprintf("a matrix of type %s", typeof(x)))
  if (is.atomic(x) && !is.object(x)) {
    return(sprintf("%d values of type %s", length(x), typeof(x)))
  }
  sprintf("an object of class %s", class(x)[1L])
}

#' Ask for optional packages.
#' @noRd
need_package <- function(packages, what) {
  for (package in packages) {
    if (!requireNamespace(package, quietly = TRUE)) {
      abort("package", sprintf(
        'The package "%s" is needed for %s: install.packages("%s").', package, what, package
      ), argument = package)
    }
  }
}

#' One string that says something.
#' @param lines whether it may have several, and tabs.
#' @noRd
check_string <- function(x, argument, most = 1000L, lines = FALSE) {
  if (!is.character(x) || length(x) != 1L || is.na(x) || !nzchar(x)) {
    abort("argument", sprintf("`%s` must be one string, not %s.", argument, kind_of(x)),
      argument = argument
    )
  }
  shown <- if (lines) gsub("[\n\r\t]", " ", x) else x
  if (!validUTF8(enc2utf8(x)) || grepl("[[:cntrl:]]", shown) || nchar(x) > most) {
    abort("argument", sprintf(
      "`%s` must have at most %d characters, all of them printable.", argument, most
    ), argument = argument)
  }
  enc2utf8(x)
}

check_orders <- function(orders) {
  check_numbers(orders, "orders", lower = 1, open_lower = TRUE)
}

check_delta <- function(delta) {
  check_numbers(delta, "delta", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
}

#' Arguments that nobody asked for are an error.
#' @noRd
check_no_dots <- function(...) {
  if (...length() == 0L) return(invisible())
  name <- names(substitute(list(...)))[2L] # of arguments that may be in error themselves
  named <- length(name) && nzchar(name)
  abort("argument", paste0(
    "Unknown argument", if (named) sprintf(" `%s`", name), ".", if (named) words_for(name)
  ), argument = if (named) name)
}

#' What a figure passes on to plot(): arguments of plot.default() and of par() that it does not
#' set itself.
#' @noRd
check_plot_dots <- function(..., own = c("x", "y", "type", "log", "xlab", "ylab")) {
  if (...length() == 0L) return(invisible())
  given <- names(substitute(list(...)))[-1L]
  if (is.null(given)) given <- ""
  known <- setdiff(c(names(formals(graphics::plot.default)), .inline_par), c(own, "..."))
  if (length(odd <- setdiff(given, known))) {
    why <- if (odd[1L] %in% own) sprintf("The figure sets `%s` itself.", odd[1L])
    if (is.null(why)) why <- sprintf("Unknown argument `%s`: plot() does not take it.", odd[1L])
    abort("argument", why, argument = odd[1L])
  }
}

# par() itself would open a device; these are those that plot() takes
.inline_par <- c(
  "adj", "bg", "bty", "cex", "cex.axis", "cex.lab", "cex.main", "cex.sub", "col", "col.axis",
  "col.lab", "col.main", "col.sub", "crt", "err", "family", "fg", "font", "font.axis", "font.lab",
  "font.main", "font.sub", "lab", "las", "lend", "ljoin", "lmitre", "lty", "lwd", "mgp", "mkh",
  "pch", "srt", "tck", "tcl", "xaxp", "xaxs", "xaxt", "xpd", "yaxp", "yaxs", "yaxt"
)

#' anyNA(), but without a vector of is.na() that it makes of a factor.
#' @noRd
any_missing <- function(x) anyNA(if (is.factor(x)) unclass(x) else x)

#' The name of the column that `nodes` is, as ~column; `NULL`: it is no such formula.
#' @noRd
holder_column <- function(nodes) {
  if (inherits(nodes, "formula") && length(nodes) == 2L && is.name(nodes[[2L]])) {
    as.character(nodes[[2L]])
  }
}
