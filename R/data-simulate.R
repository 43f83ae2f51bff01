#' Synthetic data sets
#'
#' Seeded generators. `sim_logistic()` is for rehearsals: records of a plan's size, before the
#' real ones are touched. `sim_lasso()` is the data of the noisy fixed-point paper's
#' experiment. The others are synthetic stand-ins with the shape, sparsity pattern and
#' class balance of data sets that cannot be bundled; nothing in them comes from the real
#' records, and figures on them are not figures on the real data.
#'
#' * `sim_logistic()`: rows uniform on the unit sphere, labels drawn from a logistic model with
#'   coefficients of random direction and the norm `strength`.
#' * `sim_lasso()`: rows uniform on the unit sphere, a true model with `support` entries
#'   uniform on \[0, 1\] at random places and 0 elsewhere, `y = x model + N(0, noise)`.
#' * `sim_ijcnn1()`: shaped like ijcnn1 (22 features, 9.7% positive): ten indicator
#'   features of which one is set, twelve numeric ones in \[-1, 1\] that move slowly along
#'   the rows, labels from a smooth non-linear score.
#' * `sim_bio_train()`: shaped like the training set of the KDD Cup 2004 protein homology
#'   task (74 numeric features of unlike scales, 0.9% positive), rows in blocks with a
#'   common offset; `block` numbers them.
#' * `sim_census()`: shaped like the encoded census extracts used with plausible-ADMM
#'   (`"us"`: 40,000 x 58; `"brazil"`: 38,000 x 53): indicator columns of categorical
#'   attributes and some numeric ones in \[0, 1\]; the label says whether the income
#'   implied by them is above a threshold (about 30% positive).
#'
#' @param n number of rows.
#' @param p number of features.
#' @param support number of non-zero coefficients (<= p).
#' @param strength norm of the model (>= 0); with 0 there is nothing to learn.
#' @param noise variance of the label's noise (>= 0).
#' @param country `"us"` or `"brazil"`.
#' @param seed a whole number. The data depend on it alone, not on R's generator, which is
#'   left as it was; `NULL`: fresh data.
#' @return A list with `x` (n x p matrix), `y` (numbers, or labels -1 and 1), `synthetic =
#'   TRUE` and, for `sim_logistic()` and `sim_lasso()`, `model` (p coefficients).
#' @source Cyffers, Bellet and Basu (2023), appendix E, for `sim_lasso()`; the shapes of the
#'   others are those stated by the LIBSVM data page, KDD Cup 2004 and Ding et al. (2022).
#' @examples
#' made_up <- sim_logistic(n = 6000, p = 5, seed = 1)
#' mean(ifelse(made_up$x %*% made_up$model > 0, 1, -1) == made_up$y)
#' lasso <- sim_lasso(seed = 1)
#' dim(lasso$x)
#' mean(sim_ijcnn1(5000, seed = 1)$y > 0)
#' @name simulate
NULL

#' Uniform or normal numbers from a keyed stream of their own.
#' @noRd
sim_normal <- function(key, rows, columns, stream) {
  shape <- as.double(c(columns, rows))
  core_call(.Call(ffi_noise, "gaussian", 1, shape[1L], shape[2L], key, as.double(stream)))
}

sim_uniform <- function(key, rows, columns, stream) {
  stats::pnorm(sim_normal(key, rows, columns, stream))
}

check_count <- function(x, argument) {
  as.integer(check_number(x, argument, lower = 1, upper = 1e8, whole = TRUE))
}

#' Labels: positive for a share of the noisy scores.
#' @noRd
sim_labels <- function(score, share, key) {
  score <- score + as.vector(sim_normal(key, length(score), 1, 90)) * stats::sd(score) / 2
  ifelse(score > stats::quantile(score, 1 - share, names = FALSE), 1, -1)
}

#' @rdname simulate
#' @export
sim_logistic <- function(n = 1000, p = 10, strength = 15, seed = NULL) {
  n <- check_count(n, "n")
  p <- check_count(p, "p")
  check_number(strength, "strength", lower = 0)
  key <- noise_key(seed)
  x <- sim_normal(key, n, p, 1)
  x <- x / sqrt(rowSums(x^2))
  model <- as.vector(sim_normal(key, p, 1, 2))
  model <- strength * model / sqrt(sum(model^2))
  chance <- stats::plogis(as.vector(x %*% model))
  y <- ifelse(as.vector(sim_uniform(key, n, 1, 3)) < chance, 1, -1)
  list(x = x, y = y, model = model, synthetic = TRUE)
}

#' @rdname simulate
#' @export
sim_lasso <- function(n = 1000, p = 64, support = 8, noise = 0.01, seed = NULL) {
  n <- check_count(n, "n")
  p <- check_count(p, "p")
  support <- check_number(support, "support", lower = 0, upper = p, whole = TRUE)
  check_number(noise, "noise", lower = 0)
  key <- noise_key(seed)
  x <- sim_normal(key, n, p, 1)
  x <- x / sqrt(rowSums(x^2))
  model <- numeric(p)
  places <- core_call(.Call(ffi_permutation, key, p))[seq_len(support)]
  model[places] <- sim_uniform(key, 1, p, 2)[seq_len(support)]
  y <- as.vector(x %*% model) + sqrt(noise) * as.vector(sim_normal(key, n, 1, 3))
  list(x = x, y = y, model = model, synthetic = TRUE)
}

#' @rdname simulate
#' @export
sim_ijcnn1 <- function(n = 49990, seed = NULL) {
  n <- check_count(n, "n")
  key <- noise_key(seed)
  phase <- rep_len(1:10, n)
  indicators <- matrix(0, n, 10L)
  indicators[cbind(seq_len(n), phase)] <- 1
  steps <- sim_normal(key, n, 4L, 1)
  smooth <- unclass(stats::filter(steps, 0.8, method = "recursive"))
  lagged <- function(j, lag) c(numeric(lag), smooth[, j])[seq_len(n)]
  numeric <- vapply(0:11, function(k) lagged(k %/% 3L + 1L, k %% 3L), double(n))
  numeric <- 2 * stats::pnorm(matrix(numeric, n) / 1.7) - 1
  score <- numeric[, 1L] * cos(phase) + 2 * numeric[, 4L]^2 -
    numeric[, 7L] * numeric[, 10L] + sin(phase) / 2
  list(x = cbind(indicators, numeric), y = sim_labels(score, 0.097, key), synthetic = TRUE)
}

#' @rdname simulate
#' @export
sim_bio_train <- function(n = 145751, seed = NULL) {
  n <- check_count(n, "n")
  key <- noise_key(seed)
  block <- (seq_len(n) - 1L) %/% 950L + 1L
  offset <- sim_normal(key, max(block), 74L, 1)
  base <- sim_normal(key, n, 74L, 2) + 0.7 * offset[block, , drop = FALSE]
  mix <- sim_normal(key, 6L, 74L, 3) / 2
  base <- base + sim_normal(key, n, 6L, 4) %*% mix
  score <- as.vector(base %*% sim_normal(key, 74L, 1L, 5)) / sqrt(74) +
    0.5 * base[, 1L] * base[, 2L]
  scales <- exp(1.5 * as.vector(sim_normal(key, 1L, 74L, 6)))
  x <- base * rep(scales, each = n)
  list(x = x, y = sim_labels(score, 0.009, key), block = block, synthetic = TRUE)
}

# Levels of the categorical attributes and number of numeric ones, by country.
.census_shapes <- list(
  us = list(n = 40000L, levels = c(2L, 6L, 9L, 11L, 7L, 2L, 9L, 5L), numeric = 7L),
  brazil = list(n = 38000L, levels = c(2L, 5L, 8L, 10L, 6L, 2L, 9L, 4L), numeric = 7L)
)

#' @rdname simulate
#' @export
sim_census <- function(country = c("us", "brazil"), n = NULL, seed = NULL) {
  country <- check_choice(country, c("us", "brazil"), "country")
  shape <- .census_shapes[[country]]
  n <- if (is.null(n)) shape$n else check_count(n, "n")
  key <- noise_key(seed)
  class <- as.vector(sim_normal(key, n, 1L, 1)) # what the attributes share
  parts <- list()
  score <- class
  for (a in seq_along(shape$levels)) {
    K <- shape$levels[a]
    position <- 0.5 * class + as.vector(sim_normal(key, n, 1L, 10 + a))
    cut <- sort(as.vector(sim_normal(key, 1L, K - 1L, 30 + a)))
    level <- findInterval(position, cut) + 1L
    part <- matrix(0, n, K)
    part[cbind(seq_len(n), level)] <- 1
    parts[[a]] <- part
    score <- score + as.vector(sim_normal(key, 1L, K, 50 + a))[level] / 2
  }
  numeric <- stats::pnorm(0.5 * class + sim_normal(key, n, shape$numeric, 2))
  score <- score + as.vector(numeric %*% sim_normal(key, shape$numeric, 1L, 3))
  x <- cbind(do.call(cbind, parts), numeric)
  list(x = x, y = sim_labels(score, 0.3, key), synthetic = TRUE)
}
