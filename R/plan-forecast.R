# What to expect of a plan, from public numbers alone: the standard deviation that noise gives
# each coefficient of the mean model, next to what the strongest signal could.
#
# Near any model the iterations are linear in the noise, and coordinates are alike when rows of
# norm r have no preferred direction: the data's curvature is then w C r^2 / d in each, w the
# mean second derivative of the loss. The last mean model is a linear functional of all noise
# terms, so one pass back in time through the transposed iteration gives the weight of each of
# them, exactly, for any network, sizes and schedule, at the price of one run in one dimension:
#
#   variance = sum over noise terms of (weight * sd)^2,   reach = sum over steps of weight * C_i,
#
# the reach being how far a mean gradient of 1 carries the model. w depends on the spread of the
# predictors, hence on the answer: a few passes settle it.

#' Noise and signal of the mean model of a decentralised run.
#'
#' @param update rule of every iteration: "exact", "plausible", "recycled" or "sparse_vector".
#' @param eta,theta,objective_sd,output_sd N x T: penalties, dual steps and the standard
#'   deviation of a coordinate of the noise in the linear term and on the message.
#' @param gamma proximal weights of the recycled update, one a node.
#' @param pull weight of a node's mean loss (C, or `weight * size`), one a node.
#' @param ridge weight of the penalty at a node, rho / N.
#' @param network list of `degree`, and `start` and `neighbour` (both from 0), see
#'   [dpadmm_network].
#' @param loss a [dpadmm_loss()].
#' @param row_bound,d largest norm and number of entries of a row.
#' @param test rule "sparse_vector": list(max_sends, ratio), the most messages of a node and the
#'   scale of the query noise over that of the threshold noise.
#' @return list(noise, most, signal), see [forecast_settled()].
#' @noRd
forecast_graph <- function(update, eta, theta, gamma, objective_sd, output_sd, pull, ridge,
                           network, loss, row_bound, d, test = NULL, share = 1 / length(pull)) {
  if (is.null(test) && alike(network, share, pull, gamma, eta, theta, objective_sd, output_sd)) {
    return(forecast_alike(update, eta, gamma, objective_sd, output_sd, pull, ridge,
      network$degree, loss, row_bound, d, share
    ))
  }
  patterns <- if (is.null(test)) 1L else 4L
  sent <- if (!is.null(test)) lapply(rep(1:patterns, each = 2L), coin_sends, dim(eta), test)
  neighbours <- neighbour_sums(network, 2L * patterns)
  curved <- pull * row_bound^2 / d
  forecast_settled(function(w) {
    curvature <- outer(curved, rep(w, patterns)) + ridge
    answer <- graph_response(update, eta, theta, gamma, objective_sd, output_sd, pull, curvature,
      network$degree, neighbours, sent, share
    )
    by_w <- lapply(answer, matrix, nrow = 2L)
    list(
      variance = rowMeans(by_w$variance), reach = mean(by_w$reach[1L, ]),
      spread = if (patterns > 1L) stats::var(by_w$reach[1L, ]) else 0
    )
  }, loss, row_bound, d)
}

#' Whether all nodes are alike, those of a network whose edges weigh the same included.
#' @param ... numbers by node: vectors, or matrices with a row a node.
#' @noRd
alike <- function(network, ...) {
  same <- function(v) {
    if (is.matrix(v)) all(v == rep(v[1L, ], each = nrow(v))) else all(v == v[1L])
  }
  is.null(network$factor) && all(vapply(list(network$degree, ...), same, NA))
}

#' The same where all nodes are alike: one stands for N, and its neighbours are as it is.
#' @noRd
forecast_alike <- function(update, eta, gamma, objective_sd, output_sd, pull, ridge, degree, loss,
                           row_bound, d, share) {
  N <- length(degree)
  pulled <- 2 * degree[1L] * eta[1L, ]
  recycled <- update == "recycled"
  forecast_settled(function(w) {
    answer <- alike_response(recycled, pulled, gamma[1L], objective_sd[1L, ], output_sd[1L, ],
      pull[1L], pull[1L] * row_bound^2 / d * w + ridge, share[1L]
    )
    list(variance = N * answer$variance, reach = N * answer$reach[1L], spread = 0)
  }, loss, row_bound, d)
}

#' Who sends when a sparse vector test answers by its noise alone, as it does where that is far
#' above what it asks for (see [plausible]): the k-th of some fixed patterns, N x T. A node
#' draws its threshold once, so some nodes send often and some hardly.
#' @noRd
coin_sends <- function(k, size, test) {
  mixed <- sin(k * 78.233 + seq_len(prod(size) + size[1L]) * 12.9898) * 43758.5453
  coin <- mixed - floor(mixed)
  own <- seq_len(size[1L])
  likely <- laplace_tail(laplace_quantile(coin[own]) / test$ratio)
  sent <- matrix(coin[-own], size[1L]) < likely
  for (i in own) sent[i, ] <- sent[i, ] & cumsum(sent[i, ]) <= test$max_sends
  sent
}

laplace_quantile <- function(u) sign(u - 1 / 2) * -log1p(-2 * abs(u - 1 / 2))

laplace_tail <- function(x) ifelse(x > 0, exp(-abs(x)) / 2, 1 - exp(-abs(x)) / 2)

#' The function that adds up the neighbours of every node, for N x `copies` matrices, with the
#' weights of edges and nodes where there are any.
#' @noRd
neighbour_sums <- function(network, copies) {
  plain <- plain_sums(network, copies)
  factor <- network$factor
  if (is.null(factor)) return(plain)
  function(v) factor * plain(factor * v) + network$self * v
}

plain_sums <- function(network, copies) {
  N <- length(network$degree)
  if (is.null(network$start)) {
    return(function(v) rep(.colSums(v, N, length(v) / N), each = N) - v)
  }
  at <- function(where, total) as.vector(outer(where, total * (seq_len(copies) - 1), `+`))
  edges <- length(network$neighbour)
  neighbour <- at(network$neighbour + 1, N)
  from <- at(network$start[seq_len(N)] + 1, edges)
  to <- at(network$start[-1L] + 1, edges)
  function(v) {
    running <- c(0, cumsum(v[neighbour]))
    v[] <- running[to] - running[from]
    v
  }
}

#' Variance and reach of the mean model after the last iteration, for every column of the
#' curvature of the nodes' objectives. wf, wl and wk are the weights in it of f, lambda and the
#' kept gradient after iteration t; the steps are those of the compiled rules, transposed.
#' @param sent who sends when, an N x T matrix for every column; NULL: all, always.
#' @noRd
graph_response <- function(update, eta, theta, gamma, objective_sd, output_sd, pull, curvature,
                           degree, neighbours, sent = NULL, share = 1 / nrow(curvature)) {
  laplacian <- function(v) degree * v - neighbours(v)
  wl <- wk <- 0 * curvature
  wf <- wl + share
  size <- dim(curvature)
  variance <- reach <- numeric(size[2L])
  back <- last_rounds(length(update))
  for (t in back$rounds) {
    if (t == back$from) before <- list(variance = variance, reach = reach)
    e <- eta[, t]
    if (any(theta[, t] != 0)) wf <- wf + laplacian(theta[, t] / 2 * wl)
    if (update[t] == "recycled") {
      moved <- wf / (2 * e * degree + gamma)
      wf <- wf - laplacian(e * moved)
      wl <- wl - 2 * moved
      wk <- wk - moved
      next
    }
    on <- if (is.null(sent)) 1 else vapply(sent, function(s) s[, t] + 0, degree + 0)
    solved <- on * (wf - 2 * e * degree * wk) / (curvature + 2 * e * degree)
    noise <- (solved * objective_sd[, t])^2 + (on * wf * output_sd[, t])^2
    variance <- variance + .colSums(noise, size[1L], size[2L]) # colSums() is slow on few nodes
    reach <- reach + .colSums(solved * pull, size[1L], size[2L])
    linear <- solved + on * wk
    wf <- (1 - on) * wf + degree * e * linear + neighbours(e * linear) # the silent keep theirs
    wl <- wl - 2 * linear
    wk <- (1 - on) * wk
  }
  with_rest(variance, reach, back, before)
}

#' The same of one of nodes that are all alike, whose dual variables stay as they are.
#' @param pulled 2 eta times the degree, by iteration.
#' @param curvature a vector.
#' @noRd
alike_response <- function(recycled, pulled, gamma, objective_sd, output_sd, pull, curvature,
                           share) {
  variance <- reach <- wk <- 0 * curvature
  wf <- wk + share
  back <- last_rounds(length(recycled))
  for (t in back$rounds) {
    if (t == back$from) before <- list(variance = variance, reach = reach)
    if (recycled[t]) {
      wk <- wk - wf / (pulled[t] + gamma)
      next
    }
    solved <- (wf - pulled[t] * wk) / (curvature + pulled[t])
    variance <- variance + (solved * objective_sd[t])^2 + (wf * output_sd[t])^2
    reach <- reach + solved * pull
    wf <- pulled[t] * (solved + wk)
    wk <- 0
  }
  with_rest(variance, reach, back, before)
}

#' What the rounds that were not looked at add.
#' @noRd
with_rest <- function(variance, reach, back, before) {
  if (back$more == 0) return(list(variance = variance, reach = reach))
  list(
    variance = variance + back$more * (variance - before$variance),
    reach = reach + back$more * (reach - before$reach)
  )
}

#' The rounds of a run of T that a pass back in time looks at, all or the last 2,000, by which
#' the weights have settled; and `more`: how many times what came after round `from` of them
#' stands for the rest.
#' @noRd
last_rounds <- function(T, most = 2000L, window = 200L) {
  if (T <= most) return(list(rounds = T:1, from = T, more = 0))
  rounds <- T:(T - most + 1L)
  list(rounds = rounds, from = rounds[most - window + 1L], more = (T - most) / window)
}

#' Noise and signal at the curvature that they themselves leave: predictors spread by s, about
#' normal, see a mean second derivative below the largest one, and a still smaller one in the
#' direction of the signal.
#'
#' @param response function of the two mean second derivatives: list(variance at both, reach
#'   at the first, spread: the variance of that reach where the run is random).
#' @param slope the largest derivative of the loss at the start, `NULL`: by the loss.
#' @param own_sd of what a user's own state has in noise beyond that of the mean model.
#' @return list(noise, most, signal): the standard deviation of a coefficient; what it would be
#'   in a direction that the data leave flat, as an intercept and alike columns do; and the size
#'   of a coefficient that the strongest signal builds in the same run without noise.
#' @noRd
forecast_settled <- function(response, loss, row_bound, d, slope = NULL, own_sd = 0) {
  pull <- strongest_gradient(loss, row_bound, d, slope) / sqrt(d)
  w <- rep(loss$curvature, 2L)
  for (pass in 1:4) { # more would follow a signal that grows without end, as none of the data do
    answer <- response(w)
    signal <- within_range(answer$reach, 0) * pull
    variance <- within_range(answer$variance + c(0, answer$spread * pull^2 * d))
    w <- mean_curvature(loss, row_bound * sqrt(variance[1L] + own_sd^2), row_bound * signal)
  }
  noise <- sqrt(sum(variance * c(d - 1, 1) / d))
  flat <- within_range(response(c(0, 0))$variance)
  list(noise = noise, most = max(noise, sqrt(flat)), signal = signal)
}

#' What a run that overflows leaves is noise.
#' @noRd
within_range <- function(x, otherwise = 1e200) {
  x[!(abs(x) < 1e200) | is.na(x)] <- otherwise
  x
}

#' Mean second derivative of a loss over predictors whose noise and signal are normal: across
#' the signal, and along it (weighted by its square). The logistic one is close to a normal
#' density of variance 8 / pi.
#' @noRd
mean_curvature <- function(loss, noise, signal) {
  if (loss$name == "logistic") {
    narrow <- 8 / pi + noise^2
    across <- loss$curvature * sqrt(8 / pi / (narrow + signal^2))
    return(across * c(1, narrow / (narrow + signal^2)))
  }
  across <- loss$curvature
  if (loss$name == "hinge") {
    s <- max(sqrt(noise^2 + signal^2), 1e-8)
    across <- across * diff(stats::pnorm((1 + c(-1, 1) * loss$width) / s))
  }
  c(across, across)
}

#' Norm of the mean gradient at the start when the label is the sign of a linear function of
#' rows of norm r without a preferred direction: the derivative times r E|u_1|, u uniform on
#' the sphere of dimension d.
#' @noRd
strongest_gradient <- function(loss, row_bound, d, slope = NULL) {
  if (is.null(slope)) slope <- if (loss$name == "logistic") 1 / 2 else loss$lipschitz
  slope * row_bound * exp(lgamma(d / 2) - lgamma((d + 1) / 2)) / sqrt(pi)
}
