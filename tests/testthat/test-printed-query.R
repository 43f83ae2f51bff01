# The query of IPP-ADMM's printed test: Lemma 6's function, in the units of its mean loss.

test_that("the printed query holds the penalty in units of the mean loss, whatever C is", {
  x <- matrix(sin(1:200), 50) / 2
  y <- sign(cos(1:50))
  node <- rep(1:2, 25)
  for (C in c(1, 20)) {
    asked <- function(threshold) {
      dpadmm_fit(x, y,
        nodes = node, C = C, rho = 0.1, iterations = 1, epsilon = 1e10, delta = 1e-4, seed = 1,
        method = ipp_admm(0.5, beta = 1e-7, threshold = threshold, max_sends = 1, loss_clip = 100),
        control = dpadmm_control(accountant = "paper", keep_iterates = TRUE)
      )
    }
    found <- asked(-100)
    model <- found$iterates[1, , ]
    query <- vapply(1:2, function(i) {
      margin <- y[node == i] * x[node == i, ] %*% model[i, ]
      mean(log(2) - log1p(exp(-margin))) - 0.1 / (2 * 2 * C) * sum(model[i, ]^2)
    }, 0)
    for (i in 1:2) {
      expect_true(asked(query[i] - 0.003)$sends[i, 1])
      expect_false(asked(query[i] + 0.003)$sends[i, 1])
    }
  }
})
