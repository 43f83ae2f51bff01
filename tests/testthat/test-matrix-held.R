# Matrices that the core packs as they are: of whole numbers or flags, those some rows of which are
# left out, and sparse ones by row or of triplets.

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

# The same matrix by column, by row, and of triplets in any order, every third number in two halves.
held_ways <- function(n, d) {
  x <- Matrix::rsparsematrix(n, d, 0.2)
  x <- x / (sqrt(max(Matrix::rowSums(x^2))) * (1 + 1e-12))
  colnames(x) <- paste0("c", seq_len(d))
  whole <- methods::as(x, "TsparseMatrix")
  halved <- seq(1, length(whole@x), 3)
  value <- replace(whole@x, halved, whole@x[halved] / 2)
  at <- sample(c(seq_along(value), halved))
  triplets <- methods::new("dgTMatrix", i = whole@i[at], j = whole@j[at], x = value[at],
    Dim = dim(x), Dimnames = dimnames(x))
  list(x, methods::as(x, "RsparseMatrix"), triplets)
}

expect_alike <- function(ways, f) {
  seen <- lapply(ways, f)
  expect_identical(seen[[2L]], seen[[1L]])
  expect_identical(seen[[3L]], seen[[1L]])
  invisible(seen[[1L]])
}

replace_at <- function(x, value) {
  x[31, 5] <- value
  x
}

test_that("sparse matrices give the same fit by column, by row and of triplets", {
  set.seed(3)
  ways <- held_ways(300, 40)
  expect_s4_class(dpadmm:::check_matrix(ways[[2L]], "x", as_held = TRUE), "dgRMatrix")
  expect_s4_class(dpadmm:::check_matrix(ways[[3L]], "x", as_held = TRUE), "dgTMatrix")
  for (method in list(r_admm(), dp_sgd(), fp_admm(gamma = 1), grad_admm())) {
    for (intercept in c(TRUE, FALSE)) for (engine in c("local", "stepwise")) {
      expect_alike(ways, function(x) {
        coef(held_fit(x, method = method, intercept = intercept, engine = engine, rows = "error"))
      })
    }
    fit <- expect_alike(ways, function(x) coef(held_fit(x * 3, method = method)))
    expect_false(identical(fit, coef(held_fit(ways[[1L]], method = method))))
  }
  for (intercept in c(TRUE, FALSE)) {
    expect_alike(ways, function(x) {
      coef(dpadmm_fit(x, rep_len(c(-1, 1, 1), 300), nodes = 3, epsilon = Inf, seed = 1,
        intercept = intercept))
    })
  }
  once <- held_fit(ways[[1L]])
  expect_alike(ways, function(x) predict(once, x))
  expect_alike(ways, function(x) {
    coef(dpadmm_fit(once$plan, x[, 40:1], rep_len(c(-1, 1, 1), 300),
      nodes = rep_len(c(2, 1, 3), 300), seed = 1))
  })
})

test_that("what is amiss in sparse matrices is found where it is, however they are held", {
  set.seed(4)
  ways <- held_ways(90, 7)
  refused <- function(change, class) {
    said <- expect_alike(ways, function(x) {
      tryCatch(held_fit(change(x), rows = "error"), error = function(e) {
        c(class(e)[1L], conditionMessage(e))
      })
    })
    expect_identical(said[1L], class)
  }
  refused(function(x) replace_at(x, NA), "dpadmm_error_missing")
  refused(function(x) replace_at(x, -Inf), "dpadmm_error_finite")
  refused(function(x) replace_at(x, 1.5), "dpadmm_error_row_bound")
  refused(function(x) x * 2, "dpadmm_error_row_bound")
  expect_alike(ways, function(x) coef(held_fit(replace_at(x, 1e200))))
  expect_alike(ways, function(x) coef(held_fit(replace_at(x, NA), na.action = "omit")))
  # halves whose sum is beyond the range of numbers
  far <- methods::new("dgTMatrix", i = c(0L, 0L, 1L), j = c(0L, 0L, 1L), x = c(1e308, 1e308, 1),
    Dim = c(2L, 2L))
  expect_error(dpadmm_fit(far, c(-1, 1), nodes = 2, epsilon = 1), class = "dpadmm_error_finite")
  # columns that do not increase within a row are no matrix
  broken <- ways[[2L]]
  first <- broken@p[which(diff(broken@p) > 1L)[1L]]
  broken@j[first + 1:2] <- rev(broken@j[first + 1:2])
  expect_error(held_fit(broken), class = "dpadmm_error")
})

test_that("a dense matrix of package Matrix is a matrix", {
  set.seed(5)
  x <- matrix(runif(600, -1, 1), 100, dimnames = list(NULL, letters[1:6]))
  held <- methods::new("dgeMatrix", x = as.vector(x), Dim = dim(x), Dimnames = dimnames(x))
  fit <- held_fit(x)
  expect_identical(coef(held_fit(held)), coef(fit))
  expect_identical(predict(fit, held), predict(fit, x))
  flags <- methods::as(x > 0, "denseMatrix")
  expect_identical(coef(held_fit(flags)), coef(held_fit(x > 0)))
})
