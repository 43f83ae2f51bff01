# No finite record passes a clip, and none makes an error: of all sizes that doubles have.

skip_on_cran()

sizes_x <- c(1e-320, 1e-308, 1e-170, 1e-10, 1, 1e170, 1e300)
sizes_y <- c(1e100, 1e150, 1e160, 1e180, 1e300, 1.7e308, -1.7e308)

extreme_fit <- function(x1, y1, method, sparse, ...) {
  x <- rbind(x1, matrix(0.5, 9, 1))
  if (sparse) x <- Matrix::Matrix(x, sparse = TRUE)
  dpadmm_fit(x, c(y1, rep(c(-1, 1, 0.5), 3)),
    method = method, loss = "squared", iterations = 4, noise = gaussian_noise(1), delta = 1e-5,
    seed = 1, ...
  )
}

#' By how much one record moves the model, at most.
farthest <- function(method, sparse = FALSE, ...) {
  start <- coef(extreme_fit(1, 1, method, sparse, ...))
  moved <- outer(sizes_x, sizes_y, Vectorize(function(x1, y1) {
    abs(coef(extreme_fit(x1, y1, method, sparse, ...)) - start)
  }))
  max(moved) # NaN would show
}

test_that("one record with the smallest row and the largest label moves little", {
  methods <- list(
    dp_sgd(clip = 0.5), dp_sgd(clip = 0.5, batch = 4, sampling = "fixed"),
    dp_sgd(clip = 0.5, batch = 0.5), dp_cd(clip = 0.5), grad_admm(clip = 0.5),
    acc_admm(clip = 0.5), fp_admm(clip = 0.5), fp_admm(clip = 0.5, gamma = 30),
    fp_admm(clip = 0.5, noise = "block"), fp_admm(clip = 0.5, setting = "federated", sample = 0.5),
    fp_admm(clip = 0.5, setting = "federated", noise = "block", clip_on = "step"),
    fp_admm(clip = 0.5, setting = "decentralized")
  )
  for (method in methods) {
    for (sparse in c(FALSE, TRUE)) expect_lt(farthest(method, sparse), 4)
  }
})

test_that("nor does one of several records of a user, which is no error either", {
  users <- rep(1:5, 2)
  holder <- function(gamma = 1, ...) fp_admm(gamma = gamma, clip = 0.5, unit = "holder", ...)
  methods <- list(
    holder(), holder(noise = "block"), holder(gamma = 30), holder(setting = "decentralized"),
    holder(setting = "federated", noise = "block", clip_on = "step")
  )
  # z moves by 2 gamma clip / n at most
  for (method in methods) {
    most <- 4 * method$parameters$gamma
    for (sparse in c(FALSE, TRUE)) expect_lt(farthest(method, sparse, nodes = users), most)
  }
  # all of a user's records
  x <- matrix(0.5, 10, 1)
  far <- dpadmm_fit(x, c(rep(1e200, 2), rep(1, 8)),
    nodes = rep(1:5, each = 2), method = holder(),
    loss = "squared", iterations = 2,
    noise = gaussian_noise(1e-9), delta = 1e-5
  )
  near <- dpadmm_fit(x, c(rep(10, 2), rep(1, 8)),
    nodes = rep(1:5, each = 2), method = holder(),
    loss = "squared", iterations = 2,
    noise = gaussian_noise(1e-9), delta = 1e-5
  )
  # both gradients are cut to 0.5 in the same direction
  expect_equal(coef(far), coef(near), tolerance = 1e-6)
})

test_that("without a bound there is none to keep to, and a run says so", {
  expect_error(
    dpadmm_fit(matrix(0.5, 4, 1), c(1e160, 1, 1, 1),
      nodes = c(1, 1, 2, 2), method = fp_admm(), loss = "squared", iterations = 3, epsilon = Inf
    ),
    class = "dpadmm_error"
  )
})
