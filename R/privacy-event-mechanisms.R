# What a release can be, one entry a mechanism: the columns it is described by, the words of a
# statement, and `examples`, releases whose noise is `size` times their sensitivity, which the
# shared tests of the accountants run on. To add one: an entry here, its constructor, and a
# handler in each accountant that can do something with it.
.mechanisms <- list(
  pure = list(
    needs = "epsilon", words = "a pure mechanism",
    examples = function(size) list(dp_event_pure(1 / size))
  ),
  # no accountant handles it: its loss is infinite, see fold_ledgers()
  exact = list(
    needs = character(), words = "no noise", examples = function(size) list(dp_event_exact())
  ),
  # nothing is proved of it, so no accountant handles it
  printed_test = list(
    needs = "epsilon", words = "the sparse vector test as printed",
    examples = function(size) list(event_printed_test(1 / size, node = 1, iteration = 1))
  ),
  laplace = list(
    needs = c("b", "sensitivity"), words = "Laplace noise",
    examples = function(size) list(dp_event_laplace(size, 1))
  ),
  gamma = list(
    needs = c("alpha", "sensitivity", "dim"), words = "Gamma-norm noise on the output",
    examples = function(size) list(dp_event_gamma(1 / size, 1, dim = 5))
  ),
  gaussian = list(
    needs = c("sigma", "sensitivity"), words = "Gaussian noise on the output",
    examples = function(size) list(dp_event_gaussian(size, 1))
  ),
  best_of = list(
    needs = c("candidates", "shape", "stop"),
    words = "the best of a random number of trials, of which only the best is released",
    examples = function(size) list(
      pure = dp_event_best_of(list(dp_event_pure(1 / size)), trials = 5, shape = 0.5),
      gaussian = dp_event_best_of(
        list(dp_event_gaussian(size, 1), dp_event_gaussian(2 * size, 1, count = 3)), trials = 5
      )
    )
  ),
  subsampled_gaussian = list(
    needs = c("sigma", "sensitivity", "q", "sampling"),
    words = "Gaussian noise on a random sample",
    examples = function(size) list(
      poisson = dp_event_subsampled_gaussian(size, 1, q = 0.05),
      fixed = dp_event_subsampled_gaussian(size, 1, q = 0.05, sampling = "fixed"),
      add_remove = dp_event_subsampled_gaussian(size, 1, q = 0.05, neighbours = "add-remove")
    )
  ),
  objective_gamma = list(
    needs = c("alpha", "sensitivity", "curvature", "logistic_curvature", "modulus", "dim"),
    words = "Gamma-norm noise in the objective",
    examples = function(size) list(
      dp_event_objective_gamma(1 / size, 1, 0.1, 2, dim = 5),
      logistic = dp_event_objective_gamma(1 / size, 1, 0.1, 2, dim = 5, logistic_curvature = TRUE)
    )
  ),
  objective_gaussian = list(
    needs = c("sigma", "sensitivity", "curvature", "logistic_curvature", "modulus"),
    words = "Gaussian noise in the objective",
    examples = function(size) list(
      dp_event_objective_gaussian(size, 1, 0.1, 2),
      logistic = dp_event_objective_gaussian(size, 1, 0.1, 2, logistic_curvature = TRUE)
    )
  )
)
