# By which public numbers columns are scaled, so that no row is longer than the row bound; and
# what a model of scaled columns says of the user's own.

# Rounding must not make a row longer than the bound, where the core would shorten it.
.inside <- 1 - 2^-30

#' A blueprint for a bound on the norm of rows: `factor` is what its columns are multiplied by.
#' The columns of one term have norm 1 at most: numbers are in [-1, 1], and one indicator of a
#' factor is 1. So a row of K terms, the intercept being one, has norm sqrt(K) at most.
#' @noRd
with_row_bound <- function(blueprint, row_bound) {
  terms <- if (blueprint$kind == "frame") length(unique(blueprint$assign)) else 2L
  blueprint$row_bound <- row_bound
  blueprint$factor <- if (blueprint$kind == "matrix") {
    if (blueprint$intercept) .inside / sqrt(2) else 1
  } else {
    if (blueprint$rows == "scale") .inside * row_bound / sqrt(terms) else 1
  }
  blueprint
}

#' Variables with the `centre` and `half` of (v - centre) / half, which is in [-1, 1].
#' @noRd
with_scaling <- function(variables, centred) {
  for (name in names(variables)) {
    v <- variables[[name]]
    if (v$type == "bounds") {
      variables[[name]] <- c(v, scaling_of(v$values, centred[[name]]))
    }
  }
  variables
}

scaling_of <- function(bounds, centred) {
  if (!centred) return(list(centre = 0, half = max(abs(bounds))))
  half <- bounds / 2
  list(centre = half[1L] + half[2L], half = half[2L] - half[1L])
}

#' Which variables may be shifted: with every term that has it, the terms must have the one
#' without it, which takes up the shift.
#' @noRd
centred_variables <- function(terms) {
  sets <- term_variables(terms)
  known <- set_keys(sets)
  names <- variable_names(terms)
  vapply(stats::setNames(seq_along(names), names), function(v) {
    with <- Filter(function(set) v %in% set, sets)
    all(set_keys(lapply(with, setdiff, v)) %in% known)
  }, NA)
}

#' The variables of each term, by their places; of the intercept, if there is one, none.
#' @noRd
term_variables <- function(terms) {
  factors <- attr(terms, "factors")
  of_term <- function(k) which(factors[, k] > 0)
  c(if (attr(terms, "intercept") == 1L) list(integer()),
    lapply(seq_along(attr(terms, "term.labels")), of_term))
}

set_keys <- function(sets) vapply(sets, function(set) paste(sort(set), collapse = " "), "")

#' The matrix that takes coefficients of scaled columns to those of columns as they are. A
#' product of (v - centre) / half over the variables of a term is a sum over those of them that
#' give their centre instead: a multiple of the term without these.
#' @noRd
original_map <- function(blueprint) {
  sets <- term_variables(blueprint$terms)
  known <- set_keys(sets)
  at <- split(seq_along(blueprint$assign), blueprint$assign) # by term, in order
  centre <- vapply(blueprint$variables, function(v) if (is.null(v$half)) 0 else v$centre, 0)
  divided <- lapply(blueprint$variables, function(v) {
    switch(v$type, bounds = v$half, basis = v$scale, levels = rep(1, length(v$values)))
  })
  entries <- lapply(seq_along(sets), function(k) {
    set <- sets[[k]]
    # the columns of a term, the first variable's fastest
    by <- Reduce(function(a, b) as.vector(outer(a, b)), divided[set], 1)
    moved <- set[centre[set] != 0]
    lapply(subsets(moved), function(out) {
      target <- match(set_keys(list(setdiff(set, out))), known)
      data.frame(i = at[[target]], j = at[[k]], x = prod(-centre[out]) / by)
    })
  })
  own <- unlist(at[-seq_along(sets)], use.names = FALSE) # indicators of missing values
  entries <- do.call(rbind, c(unlist(entries, recursive = FALSE), list(
    data.frame(i = own, j = own, x = rep(1, length(own)))
  )))
  Matrix::sparseMatrix(entries$i, entries$j,
    x = entries$x * blueprint$factor, dims = rep(blueprint$d, 2L)
  )
}

subsets <- function(set) {
  Reduce(function(all, one) c(all, lapply(all, c, one)), set, list(integer()))
}

#' Models (k x d, one a row) in the user's units.
#' @noRd
original_units <- function(blueprint, models) {
  if (blueprint$kind == "frame") {
    models[] <- as.matrix(Matrix::tcrossprod(models, original_map(blueprint)))
  } else if (blueprint$intercept) {
    models <- models * blueprint$factor
    models[, 1L] <- models[, 1L] * blueprint$row_bound
  }
  response <- blueprint$range
  if (is.null(response)) return(models)
  models <- models * response$half
  if (blueprint$intercept) models[, 1L] <- models[, 1L] + response$centre
  models
}

#' What becomes of rows longer than the bound, in words.
#' @noRd
rows_words <- function(blueprint) {
  response <- blueprint$range$values
  c(
    sprintf("Rows have norm at most %g: %s.", blueprint$row_bound, switch(blueprint$rows,
      scale = "columns are scaled by their bounds, and no row is shortened",
      error = "longer ones are refused",
      shorten = paste0("longer ones are shortened", shortened_words(blueprint))
    )),
    if (!is.null(response)) {
      sprintf("Responses outside of %g to %g are set to the nearer bound.", response[1L],
        response[2L]
      )
    }
  )
}

shortened_words <- function(blueprint) {
  if (blueprint$kind == "matrix") return("")
  reach <- public_lengths(blueprint)
  if (reach$longest <= blueprint$row_bound) return(" (by the columns' bounds, none is)")
  sprintf(" (%.0f%% of what the columns' bounds allow, up to norm %.3g)",
    100 * reach$share, reach$longest
  )
}

#' How long rows can be by the bounds of their columns, and the share of 2,000 points spread
#' evenly over them that is longer than the bound.
#' @noRd
public_lengths <- function(blueprint, points = 2000) {
  blueprint$factor <- 1
  norm <- sqrt(Matrix::rowSums(public_points(blueprint, points)^2))
  list(
    longest = sqrt(length(unique(blueprint$assign))), share = mean(norm > blueprint$row_bound)
  )
}

#' Rows that are spread evenly over what the bounds and levels of the variables allow.
#' @noRd
public_points <- function(blueprint, points = 2000) {
  variables <- blueprint$variables
  steps <- sqrt(primes(length(variables))) %% 1 # a Kronecker sequence: no random number
  spread <- Map(function(how, step) {
    u <- (seq_len(points) * step) %% 1
    if (how$type == "levels") return(how$values[1 + floor(u * length(how$values))])
    how$values[1L] + u * (how$values[2L] - how$values[1L])
  }, variables, steps)
  encode_frame(blueprint, list2DF(spread, points))
}

#' The first n primes.
#' @noRd
primes <- function(n) {
  found <- 2
  while (length(found) < n) {
    next_one <- found[length(found)] + 1
    while (any(next_one %% found == 0)) next_one <- next_one + 1
    found <- c(found, next_one)
  }
  found[seq_len(n)]
}
