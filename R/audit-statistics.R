# The statistics of an audit: scores, thresholds and confidence bounds.

#' One-sided Clopper-Pearson bounds of x of n, each wrong with probability `level`.
#' @noRd
binomial_lower <- function(x, n, level) ifelse(x == 0, 0, stats::qbeta(level, x, n - x + 1))

#' @noRd
binomial_upper <- function(x, n, level) ifelse(x == n, 1, stats::qbeta(1 - level, x + 1, n - x))

#' Lower bound on epsilon from bounds on the two rates; 0 when nothing is seen.
#' @noRd
rates_epsilon <- function(rates, delta, bound) {
  p <- rates[["p"]]
  q <- rates[["q"]]
  if (bound == "clopper-pearson") return(if (p - delta > q) log((p - delta) / q) else 0)
  mu <- rates_mu(rates)
  if (mu <= 0) 0 else gaussian_epsilon(1, delta, mu)
}

rates_mu <- function(rates) stats::qnorm(rates[["p"]]) - stats::qnorm(rates[["q"]])

#' What a threshold is chosen for: increasing in the lower bound.
#' @noRd
rates_worth <- function(p, q, delta, bound) {
  if (bound == "gaussian") stats::qnorm(p) - stats::qnorm(q) else log(pmax(p - delta, 0) / q)
}

#' One released value is its own score.
#' @noRd
plain_score <- function(values) {
  list(learned = lapply(values, function(v) v[, 1L]), of = function(v) v[, 1L], weights = 1)
}

#' Fisher's discriminant in units of the log likelihood ratio. `learned` are scores of the
#' runs it was learned from, each by weights learned from the others, so that a threshold
#' can be chosen on them; the weights to use are the mean of both.
#' @noRd
linear_score <- function(values) {
  n <- nrow(values[[1L]])
  fold <- rep_len(1:2, n)
  rows <- function(which) lapply(values, function(v) v[which, , drop = FALSE])
  learned <- lapply(1:2, function(k) pooled_moments(rows(fold != k)))
  crossed <- function(shrink) {
    weights <- lapply(learned, discriminant, shrink)
    offset <- mapply(function(moments, w) sum(moments$centre * w), learned, weights)
    scores <- lapply(values, function(v) {
      score <- numeric(n)
      for (k in 1:2) score[fold == k] <- v[fold == k, , drop = FALSE] %*% weights[[k]] - offset[k]
      score
    })
    list(scores = scores, weights = (weights[[1L]] + weights[[2L]]) / 2, offset = mean(offset))
  }
  # many values and few runs leave their correlation unknown: shrinking little is no use
  few <- 4 * ncol(values[[1L]]) > n
  tried <- lapply(if (few) c(0.1, 3) else c(1e-9, 0.01, 0.3, 10), crossed)
  best <- tried[[which.max(vapply(tried, function(t) separation(t$scores), 0))]]
  list(
    learned = best$scores, weights = best$weights,
    of = function(v) as.vector(v %*% best$weights) - best$offset
  )
}

separation <- function(scores) {
  spread <- sqrt(stats::var(scores[[1L]]) + stats::var(scores[[2L]]))
  gap <- mean(scores[[1L]]) - mean(scores[[2L]])
  if (spread > 0) gap / spread else if (gap > 0) Inf else 0
}

#' Means of both data sets, as their middle and gap, and the values over their pooled standard
#' deviation, less their means: their products are the pooled correlation.
#' @noRd
pooled_moments <- function(values) {
  means <- lapply(values, colMeans)
  gap <- means[[1L]] - means[[2L]]
  centre <- (means[[1L]] + means[[2L]]) / 2
  off <- do.call(rbind, Map(function(v, mean) v - rep(mean, each = nrow(v)), values, means)) /
    sqrt(2 * nrow(values[[1L]]))
  # a value without noise that differs tells everything; one that does not, nothing
  scale <- pmax(sqrt(colSums(off^2)), 1e-9 * abs(gap), 1e-14 * abs(centre))
  scale[scale == 0] <- 1
  off <- off / rep(scale, each = nrow(off))
  wide <- ncol(off) > nrow(off)
  list(
    gap = gap, centre = centre, scale = scale, off = if (wide) off,
    products = if (wide) core_call(.Call(ffi_row_products, off)) else crossprod(off)
  )
}

#' The weights of Fisher's discriminant, with `shrink` added to the correlation's diagonal: of
#' more values than runs by the runs' products, as (Z'Z + s)^-1 g = (g - Z'(ZZ' + s)^-1 Z g) / s.
#' @noRd
discriminant <- function(moments, shrink) {
  products <- moments$products
  diag(products) <- diag(products) + shrink
  factor <- chol(products)
  solved <- function(v) backsolve(factor, backsolve(factor, v, transpose = TRUE))
  gap <- moments$gap / moments$scale
  off <- moments$off
  inner <- if (is.null(off)) solved(gap) else (gap - crossprod(off, solved(off %*% gap))) / shrink
  as.vector(inner) / moments$scale
}

#' The event, `score > threshold` or not, and the data set it is more likely on, that
#' would give the best bound if these scores were the held-out ones.
#' @noRd
choose_test <- function(scores, level, delta, bound) {
  thresholds <- candidate_thresholds(unlist(scores))
  n <- length(scores[[1L]]) # of both
  above <- lapply(scores, function(s) n - findInterval(thresholds, sort(s)))
  seen <- unique(c(unlist(above), n - unlist(above)))
  lower <- binomial_lower(seen, n, level)
  upper <- binomial_upper(seen, n, level)
  worth <- function(from, side) {
    count <- if (side == "above") above else lapply(above, function(a) n - a)
    rates_worth(lower[match(count[[from]], seen)], upper[match(count[[3L - from]], seen)], delta,
      bound)
  }
  events <- expand.grid(from = 1:2, side = c("above", "below"), stringsAsFactors = FALSE)
  all <- mapply(worth, events$from, events$side)
  all <- matrix(all, length(thresholds))
  at <- arrayInd(which.max(all), dim(all))
  list(threshold = thresholds[at[1L]], side = events$side[at[2L]], from = events$from[at[2L]])
}

#' Midpoints between scores: all near both ends, where the odds are largest, and some of
#' those between.
#' @noRd
candidate_thresholds <- function(scores, ends = 50L, between = 200L) {
  values <- sort(unique(scores))
  m <- length(values)
  if (m == 1L) return(values)
  keep <- unique(round(c(
    seq_len(min(ends, m - 1L)), seq(max(1L, m - ends), m - 1L),
    seq(1, m - 1, length.out = min(between, m - 1L))
  )))
  (values[-m] / 2 + values[-1L] / 2)[sort(keep)]
}

#' Count the chosen event in held-out runs.
#' @noRd
count_test <- function(chosen, held, level) {
  crossed <- vapply(held, function(s) {
    above <- sum(s > chosen$threshold)
    if (chosen$side == "above") above else length(s) - above
  }, 0)
  n <- length(held[[1L]])
  to <- 3L - chosen$from
  rates <- c(
    p = binomial_lower(crossed[chosen$from], n, level), q = binomial_upper(crossed[to], n, level)
  )
  c(chosen, list(counts = crossed, n = n, rates = rates))
}

#' Error rates over all thresholds, at most 500 of them.
#' @noRd
empirical_roc <- function(held) {
  thresholds <- sort(unique(unlist(held)))
  if (length(thresholds) > 500L) {
    thresholds <- thresholds[unique(round(seq(1, length(thresholds), length.out = 500L)))]
  }
  thresholds <- c(-Inf, thresholds)
  share <- function(s) findInterval(thresholds, sort(s)) / length(s)
  data.frame(threshold = thresholds, fpr = 1 - share(held[[2L]]), fnr = share(held[[1L]]))
}
