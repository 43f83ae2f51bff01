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
#' @return list(noise, signal, reach), see [forecast_settled()].
#' @noRd
forecast_graph <- function(update, eta, theta, gamma, objective_sd, output_sd, pull, ridge,
                           network, loss, row_bound, d, test = NULL) {
  neighbours <- neighbour_sums(network)
  sends <- list(eta > 0)
  if (!is.null(test)) sends <- lapply(1:8, coin_sends, dim(eta), test)
  forecast_settled(function(curvature) {
    answers <- vapply(sends, function(sent) {
      graph_response(update, eta, theta, gamma, objective_sd, output_sd, pull,
        curvature * pull * row_bound^2 / d + ridge, network$degree, neighbours, sent
      )
    }, numeric(2L))
    reach <- answers["reach", ]
    c(
      variance = mean(answers["variance", ]), reach = mean(reach),
      spread = if (length(reach) > 1L) stats::var(reach) else 0
    )
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

#' The function that adds up a node's neighbours.
#' @noRd
neighbour_sums <- function(network) {
  N <- length(network$degree)
  if (all(network$degree == N - 1)) return(function(v) sum(v) - v)
  from <- network$start[seq_len(N)] + 1
  to <- network$start[-1L] + 1
  neighbour <- network$neighbour + 1L
  function(v) {
    running <- c(0, cumsum(v[neighbour]))
    running[to] - running[from]
  }
}

#' Variance and reach of the mean model after the last iteration, for the curvature of every
#' node's objective. wf, wl and wk are the weights in it of f, lambda and the kept gradient
#' after iteration t; the steps below are those of the compiled rules, transposed.
#' @noRd
graph_response <- function(update, eta, theta, gamma, objective_sd, output_sd, pull, curvature,
                           degree, neighbours, sent) {
  laplacian <- function(v) degree * v - neighbours(v)
  N <- length(degree)
  wf <- rep(1 / N, N)
  wl <- wk <- numeric(N)
  variance <- reach <- 0
  for (t in rev(seq_along(update))) {
    e <- eta[, t]
    if (any(theta[, t] != 0)) wf <- wf + laplacian(theta[, t] / 2 * wl)
    if (update[t] == "recycled") {
      moved <- wf / (2 * e * degree + gamma)
      wf <- wf - laplacian(e * moved)
      wl <- wl - 2 * moved
      wk <- wk - moved
      next
    }
    on <- sent[, t] # who is silent keeps his last message
    solved <- ifelse(on, (wf - 2 * e * degree * wk) / (curvature + 2 * e * degree), 0)
    variance <- variance + sum((solved * objective_sd[, t])^2 + (on * wf * output_sd[, t])^2)
    reach <- reach + sum(solved * pull)
    linear <- solved + on * wk
    wf <- (!on) * wf + degree * e * linear + neighbours(e * linear)
    wl <- wl - 2 * linear
    wk <- (!on) * wk
  }
  c(variance = variance, reach = reach)
}

#' Noise and signal at the curvature that they themselves leave: predictors spread by s, about
#' normal, see a mean second derivative below the largest one, and a still smaller one in the
#' direction of the signal.
#'
#' @param response function of the mean second derivative: variance, reach and the variance
#'   of the reach.
#' @param slope the largest derivative of the loss at the start, `NULL`: by the loss.
#' @param own_sd of what a user's own state has in noise beyond that of the mean model.
#' @return list(noise, signal, across, reach): the standard deviation of a coefficient, the size of a
#'   coefficient that the strongest signal builds in the same run, and the standard deviation
#'   across the signal, the one that turns the model.
#' @noRd
forecast_settled <- function(response, loss, row_bound, d, slope = NULL, own_sd = 0) {
  pull <- strongest_gradient(loss, row_bound, d, slope) / sqrt(d)
  w <- c(across = loss$curvature, along = loss$curvature)
  for (pass in 1:4) {
    across <- response(w[["across"]])
    along <- response(w[["along"]])
    signal <- across[["reach"]] * pull
    noise2 <- c(across[["variance"]], along[["variance"]] + across[["spread"]] * pull^2 * d)
    spread <- row_bound * c(sqrt(noise2[1L] + own_sd^2), signal)
    w <- mean_curvature(loss, spread[1L], spread[2L])
  }
  list(
    noise = sqrt(sum(noise2 * c(d - 1, 1) / d)), signal = signal, across = sqrt(noise2[1L]),
    reach = across[["reach"]]
  )
}

#' Mean second derivative of a loss over predictors whose noise and signal are normal, and its
#' mean weighted by the squared signal. The logistic one is close to a normal density of
#' variance 8 / pi.
#' @noRd
mean_curvature <- function(loss, noise, signal) {
  if (loss$name == "logistic") {
    narrow <- 8 / pi + noise^2
    across <- loss$curvature * sqrt(8 / pi / (narrow + signal^2))
    return(c(across = across, along = across * narrow / (narrow + signal^2)))
  }
  across <- loss$curvature
  if (loss$name == "hinge") {
    s <- max(sqrt(noise^2 + signal^2), 1e-8)
    across <- across * diff(stats::pnorm((1 + c(-1, 1) * loss$width) / s))
  }
  c(across = across, along = across)
}

#' Norm of the mean gradient at the start when the label is the sign of a linear function of
#' rows of norm r without a preferred direction: the derivative times r E|u_1|, u uniform on
#' the sphere of dimension d.
#' @noRd
strongest_gradient <- function(loss, row_bound, d, slope = NULL) {
  if (is.null(slope)) slope <- if (loss$name == "logistic") 1 / 2 else loss$lipschitz
  slope * row_bound * exp(lgamma(d / 2) - lgamma((d + 1) / 2)) / sqrt(pi)
}
