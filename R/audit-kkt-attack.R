#' Recover a record from the optimality conditions
#'
#' The attack of M-ADMM's threat model: somebody knows every record of a node but one, and
#' has seen all messages of the node and its neighbours. Where penalty and dual step are
#' public and there is no noise, the optimality condition of every exact update,
#' \deqn{\nabla O_i(f_i(t)) + 2\lambda_i(t-1) + \eta \sum_j (2 f_i(t) - f_i(t-1) - f_j(t-1)) = 0,}
#' gives the missing record's gradient, and those of a few iterations give the record.
#'
#' Each iteration yields `h(t) = L'(y, f(t)'x) x` up to the noise. All are multiples of x:
#' its direction is their first singular vector, and its length and label are those
#' that explain the multiples best. A record `(x, y)` and `(-x, -y)` have the same
#' gradients for ever; of these two the attack returns the one whose features lie more
#' within the range of the known records' (in the papers' data no feature is negative).
#'
#' Without noise the error is that of the node solver: with the default tolerance below 1e-6
#' of the record's length for nodes of hundreds of records, in a few iterations. Against a
#' private fit the attack runs all the same, and finds what the noise makes it find.
#'
#' @param fit a fit of [dpadmm_fit()] by a decentralised method with a classification loss,
#'   made with `dpadmm_control(keep_iterates = TRUE)`.
#' @param known_x,known_y the known records of the node (all but one): a matrix of features
#'   as the fit used them (of a matrix fit with `intercept = FALSE`, as they are) and labels -1
#'   and 1.
#' @param node name or number of the node that holds the missing record.
#' @param network who is whose neighbour, see [network]; by default the fit's.
#' @param eta,theta what the attacker believes of the penalties and dual steps, matrices of
#'   nodes x iterations; by default the fit's own. With M-ADMM's private penalties they
#'   would not be known, but without noise they follow from the messages, see
#'   `vignette("m-admm")`.
#' @param start the public start of the fit, as in [dpadmm_control()].
#' @return A list: `x`, the features; `y`, the label; `gradients`, the h(t) used (iterations
#'   x features); `parallel`, the share of the gradients' squared length that lies along
#'   `x`: 1 when the conditions hold exactly.
#'
#'   Errors: `dpadmm_error_argument` for a fit without iterates or another loss,
#'   `dpadmm_error_shape` when the known records are not all of the node's but one.
#' @source Zhang, Khalili and Liu (2018), Improving the privacy and accuracy of ADMM-based
#'   distributed algorithms, section 6.2.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' y <- ifelse(x[, 1] > x[, 2], 1, -1)
#' nodes <- rep(1:4, 50)
#' fit <- dpadmm_fit(x, y,
#'   nodes = nodes, method = admm(eta = 0.5), iterations = 10, epsilon = Inf, intercept = FALSE,
#'   control = dpadmm_control(keep_iterates = TRUE)
#' )
#' # everybody at node 2 but its first record
#' known <- which(nodes == 2)[-1]
#' kkt_attack(fit, x[known, ], y[known], node = 2)$x
#' x[2, ]
#' @export
kkt_attack <- function(fit, known_x, known_y, node, network = fit$plan$problem$network,
                       eta = fit$plan$eta, theta = fit$plan$theta, start = NULL) {
  check_class(fit, "dpadmm_fit", "fit", "dpadmm_fit()")
  problem <- fit$plan$problem
  if (is.null(fit$iterates) || is.null(problem$network)) {
    abort("argument",
      "`fit` must be of a decentralised method, with dpadmm_control(keep_iterates = TRUE).",
      argument = "fit"
    )
  }
  if (!problem$loss$classification) {
    abort("argument", "`fit` must have a classification loss.", argument = "fit")
  }
  if (isTRUE(fit$plan$optimum)) {
    abort("argument", "`fit` must have sent messages: fit again with `iterations`.",
      argument = "fit"
    )
  }
  N <- problem$N
  T <- fit$plan$iterations
  i <- if (is.character(node)) match(node, fit$nodes$names) else node
  if (length(i) != 1L || !(i %in% seq_len(N))) {
    abort("argument", "`node` must be the name or number of a node.",
      argument = "node", value = node
    )
  }
  known_x <- check_matrix(known_x, "known_x")
  check_numbers(known_y, "known_y", length = nrow(known_x))
  if (nrow(known_x) != fit$nodes$size[i] - 1L || ncol(known_x) != problem$d) {
    abort("shape", sprintf(
      "`known_x` must be %d x %d: all records of node \"%s\" but one.",
      fit$nodes$size[i] - 1L, problem$d, fit$nodes$names[i]
    ), argument = "known_x", value = dim(known_x))
  }
  network <- resolve_network(network, N)
  for (name in c("eta", "theta")) {
    if (!identical(dim(get(name)), c(N, T))) {
      abort("shape",
        sprintf("`%s` must be a %d x %d matrix (nodes x iterations).", name, N, T),
        argument = name
      )
    }
  }
  known_x <- known_x * shortening(known_x, problem$row_bound)
  start <- start_values(start, problem$names, problem$d)
  h <- missing_gradients(fit, known_x, known_y, i, network, eta, theta, start)
  if (is.null(h$gradient)) {
    abort("argument", sprintf('Node "%s" sent nothing in this fit.', fit$nodes$names[i]),
      argument = "node", value = node
    )
  }
  explain_gradients(h$gradient, h$at, problem$loss, problem$row_bound, known_x)
}

#' The missing record's gradients `L'(y, f'x) x`, one row for each update that solved a
#' problem and was sent, and the coefficients they belong to.
#' @noRd
missing_gradients <- function(fit, x, y, i, network, eta, theta, before) {
  problem <- fit$plan$problem
  loss <- problem$loss
  near <- neighbours_of(network, i)
  weight <- heard_weights(problem$network, i, near)
  near <- c(i, near)
  degree <- sum(weight)
  solved <- fit$plan$rule != "recycled"
  if (!is.null(fit$sends)) solved <- solved & fit$sends[i, ]
  lambda <- numeric(problem$d)
  gradient <- at <- NULL
  around <- function(messages) as.vector(messages[, near, drop = FALSE] %*% weight)
  for (t in seq_len(fit$plan$iterations)) {
    f <- matrix(fit$iterates[t, , ], problem$N)
    now <- f[i, ]
    if (solved[t]) {
      slope <- .Call(ffi_loss, loss$name, loss$width, as.vector(x %*% now), as.double(y))$gradient
      known <- problem$C[i] / fit$nodes$size[i] * as.vector(slope %*% x) +
        problem$rho / problem$N * now
      pull <- 2 * lambda + eta[i, t] * (degree * (2 * now - before[, i]) - around(before))
      gradient <- rbind(gradient, -(known + pull) * fit$nodes$size[i] / problem$C[i])
      at <- rbind(at, now)
    }
    before <- t(f)
    lambda <- lambda + theta[i, t] / 2 * (degree * now - around(before))
  }
  list(gradient = gradient, at = at)
}

#' What node i itself and its neighbours weigh in what it hears.
#' @noRd
heard_weights <- function(network, i, near) {
  factor <- network$factor
  if (is.null(factor)) return(c(0, rep(1, length(near))))
  c(network$self[i], factor[i] * factor[near])
}

#' The record whose gradients come closest to the given ones.
#' @noRd
explain_gradients <- function(h, at, loss, bound, known_x) {
  found <- svd(h, nu = 0L, nv = 1L)
  direction <- found$v[, 1L]
  along <- as.vector(h %*% direction)
  link <- as.vector(at %*% direction)
  # h'u = L'(y, r f'u) r for the length r of x
  misfit <- function(r, y) {
    slope <- .Call(ffi_loss, loss$name, loss$width, r * link, rep(y, length(link)))$gradient
    sum((along - r * slope)^2)
  }
  best <- list(value = Inf)
  for (y in c(-1, 1)) {
    grid <- bound * seq(0.01, 1, by = 0.01)
    r <- grid[which.min(vapply(grid, misfit, 0, y = y))]
    fine <- stats::optimize(misfit, pmax(0, r + c(-0.01, 0.01) * bound), y = y, tol = 1e-12)
    if (fine$objective < best$value) best <- list(value = fine$objective, r = fine$minimum, y = y)
  }
  x <- best$r * direction
  y <- best$y
  low <- apply(known_x, 2L, min)
  high <- apply(known_x, 2L, max)
  outside <- function(x) sum(pmax(low - x, 0) + pmax(x - high, 0))
  if (outside(-x) < outside(x)) {
    x <- -x
    y <- -y
  }
  list(x = x, y = y, gradients = h, parallel = found$d[1L]^2 / sum(found$d^2))
}
