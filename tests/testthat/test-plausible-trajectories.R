# PP-ADMM and IPP-ADMM, sound and as printed, against the trajectories of an independent
# implementation in another language: fixtures/plausible-*.csv, written by
# tests/reference/plausible.py. Who sends when must agree exactly.

table_of <- function(name) utils::read.csv(test_path("fixtures", paste0(name, ".csv")))

cases <- table_of("plausible-cases")
iterates <- table_of("plausible-iterates")
records <- table_of("trajectory-records")
edges <- as.matrix(table_of("trajectory-edges"))
adjacency <- matrix(0, 4, 4)
adjacency[edges] <- adjacency[edges[, 2:1]] <- 1

for (row in seq_len(nrow(cases))) {
  case <- as.list(cases[row, ])
  test_that(sprintf("%s follows the independent trajectory", case$case), {
    settings <- list(eta = case$eta, beta = 5e-10, split = case$split)
    if (case$method == "ipp_admm") {
      of_test <- c("threshold", "max_sends", "loss_clip", "eps_ratio", "test_share")
      settings <- c(settings, case[of_test])
    }
    printed <- case$noise == "printed"
    noise <- switch(case$noise,
      gaussian = list(noise = gaussian_noise(case$scale), delta = 1e-4),
      gamma = list(noise = gamma_noise(case$scale)),
      printed = list(epsilon = case$epsilon, delta = 1e-4)
    )
    fit <- do.call(dpadmm_fit, c(list(
      x = as.matrix(records[grep("^x", names(records))]), y = records$label, nodes = records$node,
      network = network_adjacency(adjacency), method = do.call(case$method, settings),
      C = 5, rho = 0.7, weights = "nodes", iterations = 8, seed = 11,
      control = dpadmm_control(keep_iterates = TRUE, accountant = if (printed) "paper" else "sound")
    ), noise))
    expected <- iterates[iterates$case == case$case, ]
    at <- cbind(expected$iteration, expected$node)
    for (k in 1:5) {
      error <- abs(fit$iterates[cbind(at, k)] - expected[[paste0("f", k)]])
      expect_lt(max(error), 1e-9)
    }
    if (case$method == "ipp_admm") {
      expect_identical(fit$sends[at[, 2:1]], expected$sent == 1)
      sent <- sum(tapply(expected$sent, expected$node, sum) * rowSums(adjacency))
      expect_equal(fit$messages, c(sent = sent, saved = 8 * sum(adjacency) - sent))
      expect_lte(max(rowSums(fit$sends)), case$max_sends)
    } else {
      expect_null(fit$sends)
    }
  })
}
