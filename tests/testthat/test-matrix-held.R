# Matrices that the core packs as they are: of whole numbers or flags, and those some rows of which
# are left out.

held_fit <- function(x, y = rep_len(c(-1, 1, 1), nrow(x)), ..., method = mr_admm(),
                     rows = "shorten", row_bound = 1, engine = "local", threads = 1) {
  dpadmm_fit(x, y, epsilon = 1, delta = 1e-5, iterations = 3, seed = 1, method = method,
    rows = rows, nodes = if (inherits(method, "dpadmm_family_graph")) rep_len(c(2, 1, 3), nrow(x)),
    ..., control = dpadmm_control(engine = engine, row_bound = row_bound, threads = threads))
}

test_that("whole numbers and flags give the fit of their doubles, to the last bit", {
  set.seed(1)
  for (d in c(1L, 4L, 30L)) {
    numbers <- matrix(sample(c(-3:3, .Machine$integer.max), 200 * d, TRUE), 200)
    for (x in list(numbers, numbers > 0L)) for (intercept in c(TRUE, FALSE)) {
      expect_identical(coef(held_fit(x, intercept = intercept)),
        coef(held_fit(x + 0, intercept = intercept)))
    }
  }
  # more rows than are measured together
  n <- 2 * ceiling(dpadmm:::.at_once / 30)
  flags <- matrix(runif(30 * n) < 0.5, n, dimnames = list(NULL, paste0("c", 1:30)))
  methods <- list(r_admm(), dp_sgd(), fp_admm(gamma = 1))
  for (engine in c("local", "stepwise")) for (method in methods) {
    fit <- function(x) held_fit(x, method = method, engine = engine, rows = "error", row_bound = 6)
    once <- fit(flags)
    expect_identical(coef(once), coef(fit(flags + 0)))
    # a plan makes its rows of data of its own, whose columns may be in another order
    again <- function(x) {
      nodes <- if (inherits(method, "dpadmm_family_graph")) rep_len(c(2, 1, 3), nrow(x))
      coef(dpadmm_fit(once$plan, x, rep_len(c(-1, 1, 1), nrow(x)), nodes = nodes, seed = 1))
    }
    expect_identical(again(flags[, 30:1]), coef(once))
  }
  expect_identical(predict(once, flags), predict(once, flags + 0))
})

test_that("rows that are left out are 0, and nothing of theirs is looked at", {
  set.seed(1)
  x <- matrix(rnorm(900), 300)
  left <- c(1, 7, 8, 300)
  zero <- replace(x, cbind(rep(left, 3), rep(1:3, each = 4)), 0)
  weight <- replace(rep(1, 300), left, 0)
  spoilt <- x
  spoilt[cbind(left, c(1, 2, 3, 3))] <- NA
  spoilt[7, 1] <- Inf
  spoilt[8, ] <- c(1e300, -1e300, NaN)
  whole <- round(100 * spoilt[-8, ])
  whole[6:7, 1] <- NA
  storage.mode(whole) <- "integer"
  for (method in list(mr_admm(), dp_sgd())) for (intercept in c(TRUE, FALSE)) {
    fit <- function(x, ...) coef(held_fit(x, ..., method = method, intercept = intercept))
    omitted <- fit(spoilt, na.action = "omit")
    expect_identical(fit(spoilt, na.action = "omit", threads = 2), omitted)
    expect_equal(omitted, fit(zero, case_weights = weight, weight_bound = 1), tolerance = 1e-12)
    expect_identical(fit(whole, na.action = "omit"), fit(whole + 0, na.action = "omit"))
    expect_identical(
      fit(spoilt, rows = "error", row_bound = 10, na.action = "omit"),
      fit(replace(spoilt, is.na(spoilt) | abs(spoilt) > 1e99, NA), rows = "error", row_bound = 10,
        na.action = "omit")
    )
  }
})

test_that("rows are left out of every block and of every party's rows", {
  set.seed(1)
  n <- 2 * dpadmm:::.at_once %/% 30
  x <- matrix(rnorm(n * 30), n)
  left <- c(3, n - 7000, n - 1000)
  x[left, 2] <- NA
  fit <- function(x, ...) {
    coef(held_fit(x, method = r_admm(), rows = "error", row_bound = 20, na.action = "omit", ...))
  }
  expect_identical(fit(x, engine = "stepwise"), fit(x))
  # too long, where the first block has one that is left out
  long <- max(dpadmm:::row_blocks(n, 30)[[1]]) + 3
  x[long, ] <- 10 * x[long, ]
  expect_identical(expect_error(fit(x), class = "dpadmm_error_row_bound")$place, as.integer(long))
})

test_that("what is wrong in rows that count is an error, and names the place", {
  x <- matrix(1:12, 4, dimnames = list(letters[1:4], NULL))
  fails <- function(x, class, place, ...) {
    error <- expect_error(held_fit(x, ...), class = paste0("dpadmm_error_", class))
    expect_identical(error$place, place)
  }
  fails(replace(x, c(7, 9), NA), "missing", c(3L, 2L))
  fails(replace(x > 3, 12, NA), "missing", c(4L, 3L))
  fails(replace(x + 0, c(2, 7), c(NA, -Inf)), "finite", c(3L, 2L), na.action = "omit")
  fails(replace(x, 1, NA), "row_bound", 4L, na.action = "omit", rows = "error", row_bound = 14)
  far <- replace(x + 0, c(2, 7), c(NA, 1e200)) # is shortened as ever
  expect_equal(coef(held_fit(far, na.action = "omit")), tolerance = 1e-12,
    coef(held_fit(replace(replace(far, 2 + 4 * 0:2, 0), c(3, 7, 11), c(0, 1, 0)),
      case_weights = c(1, 0, 1, 1), weight_bound = 1)))
})
