# Splines and polynomials of a variable with public knots: bs(age, knots = 50, Boundary.knots =
# c(18, 100)). Such a basis is computed row by row, from bounds of the variable itself.

#' Terms whose variables are taken before their basis is computed: `predvars` has `age` for
#' bs(age, ...), and the attribute `bases` what to compute of it.
#' @param env where knots are looked up: public numbers, kept by value.
#' @noRd
with_bases <- function(terms, env) {
  variables <- attr(terms, "variables")
  bases <- lapply(as.list(variables)[-1L], public_basis, if (is.null(env)) globalenv() else env)
  names(bases) <- variable_names(terms)
  for (k in which(lengths(bases) > 0L)) variables[[k + 1L]] <- bases[[k]]$input
  attr(terms, "predvars") <- variables
  attr(terms, "bases") <- Filter(Negate(is.null), bases)
  terms
}

#' The names by which a schema knows the variables of terms.
#' @noRd
schema_names <- function(terms) {
  names <- variable_names(terms)
  found <- lapply(attr(terms, "bases")[names], `[[`, "input")
  own <- lengths(found) > 0L
  names[own] <- vapply(found[own], call_words, "")
  names
}

#' What a call computes, if it is a basis that no record moves: list(input, kind, arguments).
#' @noRd
public_basis <- function(call, env) {
  if (!is.call(call)) return(NULL)
  name <- call[[1L]]
  if (is.call(name) && identical(name[[1L]], quote(`::`))) name <- name[[3L]]
  kind <- if (is.name(name)) as.character(name) else ""
  if (!kind %in% c("bs", "ns", "poly") || length(call) < 2L) return(NULL)
  call <- match.call(basis_function(kind), call, expand.dots = FALSE)
  arguments <- as.list(call)[-1L]
  if (kind == "poly") arguments$degree <- polynomial_degree(arguments, call)
  stated <- if (kind == "poly") "raw" else "Boundary.knots"
  if (is.null(arguments[[stated]]) || !is.null(arguments$df)) return(NULL)
  input <- arguments$x
  arguments <- tryCatch(
    lapply(arguments[setdiff(names(arguments), c("x", "..."))], eval, env),
    error = function(e) {
      abort("formula", sprintf("The knots of `%s` must be public numbers: %s.",
        call_words(call), conditionMessage(e)
      ), argument = "formula")
    }
  )
  if (kind == "poly" && !isTRUE(arguments$raw)) return(NULL)
  list(input = input, kind = kind, arguments = arguments)
}

#' The degree of poly(age, 3, raw = TRUE), or of poly(age, degree = 3, raw = TRUE).
#' @noRd
polynomial_degree <- function(arguments, call) {
  degree <- c(arguments$..., arguments$degree)
  if (length(degree) > 1L && !is.null(arguments$raw)) {
    abort("formula", sprintf(
      "`%s` must be of one variable and have one degree; for several add a poly() of each.",
      call_words(call)
    ), argument = "formula", place = call_words(call))
  }
  if (length(degree)) degree[[1L]]
}

#' Which bases take their knots from where records may be: a column of the data, a data frame or
#' a list, or a variable as long as the data (of more than 20 rows).
#' @param terms of with_bases(), made with the same `env`.
#' @param columns names of the data; `n` its number of rows, `Inf` if there are none yet.
#' @return the names of their variables.
#' @noRd
bases_of_records <- function(terms, env, columns, n) {
  if (is.null(env)) env <- globalenv()
  of_records <- function(name) {
    value <- get0(name, env)
    name %in% columns || is.list(value) || is.environment(value) ||
      (n > 20 && length(value) >= n)
  }
  variables <- as.list(attr(terms, "variables"))[-1L]
  names(variables) <- variable_names(terms)
  Filter(function(name) {
    call <- variables[[name]]
    kind <- attr(terms, "bases")[[name]]$kind
    arguments <- as.list(match.call(basis_function(kind), call))[-1L]
    used <- unlist(lapply(arguments[names(arguments) != "x"], all.vars), use.names = FALSE)
    any(vapply(unique(used), of_records, NA))
  }, names(attr(terms, "bases")))
}

abort_wide <- function(wide, way_out = "") {
  abort("formula", sprintf(paste(
    "The formula has the term `%s`, which is not computed row by row from public numbers: one",
    "record would move every row. Compute it from public numbers%s."
  ), wide[1L], way_out), argument = "formula", place = wide)
}

basis_function <- function(kind) {
  switch(kind, bs = splines::bs, ns = splines::ns, poly = stats::poly)
}

#' A described variable as its basis: `scale`, by which its columns are divided so that each is
#' 1 at most, and together they have norm 1 at most.
#' @param described list(type = "bounds", values).
#' @noRd
describe_basis <- function(described, basis, name) {
  if (is.null(basis)) return(described)
  if (described$type != "bounds") {
    abort("argument", sprintf("`%s` needs a numeric variable with bounds.", name),
      argument = "schema"
    )
  }
  ends <- basis$arguments$Boundary.knots
  bounds <- described$values
  if (basis$kind == "bs" && (bounds[1L] < min(ends) || bounds[2L] > max(ends))) {
    abort("argument", sprintf(
      "The bounds %g to %g of `schema` reach beyond the Boundary.knots of `%s`.", bounds[1L],
      bounds[2L], name
    ), argument = "schema", place = name)
  }
  breaks <- sort(unique(c(bounds, basis$arguments$knots, ends)))
  breaks <- breaks[breaks >= bounds[1L] & breaks <= bounds[2L]]
  # so dense that between its points a norm is larger by less than the margin
  grid <- stats::approx(seq_along(breaks), breaks, n = 1L + 200L * (length(breaks) - 1L))$y
  values <- basis_values(grid, basis)
  scale <- apply(abs(values), 2L, max)
  scale[scale == 0] <- 1
  norm <- sqrt(max(rowSums((values / rep(scale, each = nrow(values)))^2)))
  described$type <- "basis"
  described$basis <- basis
  described$scale <- scale * norm * 1.001
  described
}

basis_values <- function(x, basis) {
  values <- do.call(basis_function(basis$kind), c(list(x), basis$arguments))
  matrix(values, length(x), dimnames = list(NULL, colnames(values)))
}

#' The scaled columns of a variable, which is set to its nearer bound outside of them.
#' @noRd
basis_columns <- function(column, name, how) {
  inside <- scale_column(column, name, list(values = how$values, centre = 0, half = 1))
  values <- basis_values(inside, how$basis)
  values / rep(how$scale, each = nrow(values))
}
