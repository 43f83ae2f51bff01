# Every decentralised method against the trajectories of an independent implementation in
# another language: fixtures/trajectory-*.csv, written by tests/reference/trajectories.py.

trajectory_table <- function(name) {
  utils::read.csv(test_path("fixtures", sprintf("trajectory-%s.csv", name)))
}

#' A number shared by all nodes, one a node, or a matrix with a row for each node.
parameter_value <- function(rows) {
  if (all(is.na(rows$node))) return(rows$value)
  rows <- rows[order(rows$column, rows$node), ]
  if (all(is.na(rows$column))) rows$value else matrix(rows$value, nrow = max(rows$node))
}

trajectory_array <- function(rows) {
  values <- as.matrix(rows[grep("^f[0-9]+$", names(rows))])
  out <- array(NA_real_, c(max(rows$iteration), max(rows$node), ncol(values)))
  for (k in seq_len(ncol(values))) out[cbind(rows$iteration, rows$node, k)] <- values[, k]
  out
}

fit_trajectory <- function(case, values, records, adjacency) {
  settings <- values[setdiff(names(values), c("scale", "start"))]
  if (case$method == "admm") settings$perturb <- case$perturb
  noise <- switch(case$noise,
    none = list(epsilon = Inf),
    gamma = list(noise = gamma_noise(values$scale)),
    gaussian = list(noise = gaussian_noise(values$scale), delta = 1e-5)
  )
  arguments <- list(
    x = as.matrix(records[grep("^x[0-9]+$", names(records))]),
    y = if (case$loss %in% c("squared", "huber")) records$response else records$label,
    nodes = records$node, network = network_adjacency(adjacency),
    method = do.call(case$method, settings), loss = case$loss, C = case$C, rho = case$rho,
    weights = "nodes",
    iterations = case$iterations, seed = case$seed,
    control = dpadmm_control(keep_iterates = TRUE, tol = 1e-12, start = values$start)
  )
  do.call(dpadmm_fit, c(arguments, noise))
}

#' The noise that hides how far the program is from exact minimisers: it is not in the reference.
hidden_scale <- function(fit) {
  plan <- fit$plan
  if (!plan$private || plan$place != "objective") return(0)
  max(scale_sd(plan, plan$scales$output))
}

cases <- trajectory_table("cases")
parameters <- trajectory_table("parameters")
iterates <- trajectory_table("iterates")
records <- trajectory_table("records")
edges <- as.matrix(trajectory_table("edges"))
adjacency <- matrix(0, max(records$node), max(records$node))
adjacency[edges] <- adjacency[edges[, 2:1]] <- 1

for (row in seq_len(nrow(cases))) {
  case <- as.list(cases[row, ])
  test_that(sprintf("%s follows the independent trajectory", case$case), {
    rows <- parameters[parameters$case == case$case, ]
    values <- lapply(split(rows, rows$parameter), parameter_value)
    expected <- trajectory_array(iterates[iterates$case == case$case, ])
    fit <- fit_trajectory(case, values, records, adjacency)
    expect_identical(dim(fit$iterates), dim(expected))
    error <- apply(abs(unname(fit$iterates) - expected), 1L, max)
    expect_lt(max(error), 1e-9 + 40 * hidden_scale(fit), label = sprintf(
      "%s: the largest error (by iteration: %s)", case$case,
      paste(format(error, digits = 2), collapse = " ")
    ))
    last <- unname(coef(fit, node = "all"))
    expect_equal(last, unname(fit$iterates[case$iterations, , ]), ignore_attr = TRUE)
  })
}
