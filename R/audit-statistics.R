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

#' Scores of all runs on both data sets: `learned` for those of the runs to learn from, `all`.
#' One released value is its own score.
#' @noRd
plain_score <- function(values, learn) {
  all <- lapply(values, function(v) v[, 1L])
  list(learned = lapply(all, `[`, learn), all = all, weights = 1)
}

#' Fisher's discriminant in units of the log likelihood ratio. `learned` are scores of the
#' runs it was learned from, each by weights learned from the others, so that a threshold
#' can be chosen on them; the weights to use are the mean of both.
#' @noRd
linear_score <- function(values, learn) {
  fold <- rep_len(1:2, length(learn))
  # many values and few runs leave their correlation unknown: shrinking little is no use
  few <- 4 * ncol(values[[1L]]) > length(learn)
  shrinks <- if (few) c(0.1, 3) else c(1e-9, 0.01, 0.3, 10)
  turned <- lapply(values, function(v) t(v[learn, , drop = FALSE]))
  tried <- lapply(1:2, function(k) {
    moments <- pooled_moments(lapply(turned, function(v) v[, fold != k, drop = FALSE]))
    weights <- vapply(shrinks, discriminant, moments$gap, moments = moments)
    offset <- drop(moments$centre %*% weights)
    scores <- lapply(turned, function(v) crossprod(weights, v[, fold == k, drop = FALSE]) - offset)
    list(weights = weights, offset = offset, scores = scores)
  })
  scores <- lapply(1:2, function(i) {
    both <- matrix(0, length(shrinks), length(learn))
    for (k in 1:2) both[, fold == k] <- tried[[k]]$scores[[i]]
    both
  })
  of <- function(shrink) lapply(scores, function(s) s[shrink, ])
  best <- which.max(vapply(seq_along(shrinks), function(shrink) separation(of(shrink)), 0))
  weights <- (tried[[1L]]$weights[, best] + tried[[2L]]$weights[, best]) / 2
  offset <- (tried[[1L]]$offset[best] + tried[[2L]]$offset[best]) / 2
  list(
    learned = of(best), weights = weights,
    all = lapply(values, function(v) drop(v %*% weights) - offset)
  )
}

separation <- function(scores) {
  spread <- sqrt(stats::var(scores[[1L]]) + stats::var(scores[[2L]]))
  gap <- mean(scores[[1L]]) - mean(scores[[2L]])
  if (spread > 0) gap / spread else if (gap > 0) Inf else 0
}

#' Means of both data sets, as their middle and gap, and the values over their pooled standard
#' deviation, less their means: their products are the pooled correlation. A run is a column.
#' @noRd
pooled_moments <- function(values) {
  means <- lapply(values, rowMeans)
  gap <- means[[1L]] - means[[2L]]
  centre <- (means[[1L]] + means[[2L]]) / 2
  off <- cbind(values[[1L]] - means[[1L]], values[[2L]] - means[[2L]])
  # a value without noise that differs tells everything; one that does not, nothing
  scale <- pmax(sqrt(rowSums(off^2) / ncol(off)), 1e-9 * abs(gap), 1e-14 * abs(centre))
  scale[scale == 0] <- 1
  off <- off / (scale * sqrt(ncol(off)))
  wide <- nrow(off) > ncol(off)
  list(
    gap = gap, centre = centre, scale = scale, off = if (wide) off,
    products = core_call(.Call(ffi_row_products, if (wide) t(off) else off))
  )
}

#' The weights of Fisher's discriminant, with `shrink` added to the correlation's diagonal: of
#' more values than runs by the runs' products, as (ZZ' + s)^-1 g = (g - Z (Z'Z + s)^-1 Z'g) / s.
#' @noRd
discriminant <- function(shrink, moments) {
  products <- moments$products
  diag(products) <- diag(products) + shrink
  factor <- chol(products)
  solved <- function(v) backsolve(factor, backsolve(factor, v, transpose = TRUE))
  gap <- moments$gap / moments$scale
  off <- moments$off
  inner <- if (is.null(off)) solved(gap) else (gap - off %*% solved(crossprod(off, gap))) / shrink
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
  upper <- 1 - lower[match(n - seen, seen)] # what binomial_upper() says, but for rounding
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
  list2DF(list(threshold = thresholds, fpr = 1 - share(held[[2L]]), fnr = share(held[[1L]])))
}
