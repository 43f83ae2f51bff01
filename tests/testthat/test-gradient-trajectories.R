# grad_admm() and acc_admm() against the trajectories of an independent implementation in
# another language: fixtures/gradient-*.csv, written by tests/reference/gradient.py.

gradient_table <- function(name) utils::read.csv(test_path("fixtures",
  sprintf("gradient-%s.csv", name)))

cases <- gradient_table("cases")
values <- gradient_table("values")

#' A matrix of one case by its name.
case_matrix <- function(case, name) {
  rows <- values[values$case == case & values$name == name, ]
  out <- matrix(NA_real_, max(rows$row), max(rows$column))
  out[cbind(rows$row, rows$column)] <- rows$value
  out
}

#' The penalty of a case: weights by row need a regulariser.
case_regulariser <- function(case, A, weights) {
  p <- as.vector(case_matrix(case$case, "parameter"))
  if (any(weights != 1)) return(list(penalty = generalised_lasso(A, p[1] * weights)))
  list(A = A, penalty = switch(case$penalty,
    l1 = penalty_l1(p[1]), l2 = penalty_l2(p[1]), elastic_net = penalty_elastic_net(p[1], p[2]),
    box = penalty_box(p[1], p[2])
  ))
}

fit_case <- function(case, average = "last", sparse = TRUE, threads = 1) {
  get <- function(name) case_matrix(case$case, name)
  A <- get("A")
  x <- get("x")
  if (sparse) x <- Matrix::Matrix(x, sparse = TRUE)
  method <- do.call(case$method, c(
    list(
      eta = case$eta, rho = case$rho, gamma = case$gamma, B = as.vector(get("b")),
      c = as.vector(get("c")),
      init = case$init, average = average, clip = if (!is.na(case$clip)) case$clip
    ),
    case_regulariser(case, A, as.vector(get("weights")))
  ))
  noise <- switch(case$noise,
    none = list(epsilon = Inf),
    gaussian = list(noise = gaussian_noise(case$scale), delta = 1e-5),
    gamma = list(noise = gamma_noise(case$scale))
  )
  suppressWarnings(do.call(dpadmm_fit, c(list(x, as.vector(get("y")),
    method = method, loss = case$loss, C = case$C, iterations = case$iterations, seed = case$seed,
    control = dpadmm_control(start = as.vector(get("start")), threads = threads)
  ), noise)), classes = "dpadmm_warning")
}

for (row in seq_len(nrow(cases))) {
  case <- as.list(cases[row, ])
  test_that(sprintf("%s follows the independent trajectory", case$case), {
    get <- function(name) case_matrix(case$case, name)
    for (sparse in c(TRUE, FALSE)) {
      fit <- fit_case(case, sparse = sparse)
      expect_identical(dim(fit$iterates), c(case$iterations, ncol(get("x"))))
      error <- max(abs(fit$iterates - get("iterates")))
      expect_lt(error, 1e-10)
      expect_identical(unname(coef(fit)), unname(fit$iterates[case$iterations, ]))
      expect_lt(max(abs(fit$y - as.vector(get("split")))), 1e-10)
      expect_lt(max(abs(fit$u - as.vector(get("dual")))), 1e-10)
    }
    mean <- fit_case(case, average = "mean")
    expect_lt(max(abs(coef(mean) - as.vector(get("mean_x")))), 1e-10)
    expect_lt(max(abs(mean$y - as.vector(get("mean_y")))), 1e-10)
    expect_identical(mean$iterates, fit_case(case)$iterates)
  })
}
