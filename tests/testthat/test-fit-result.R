# What comes back of a fit, and what of the records does not.

n <- four_nodes$n
x <- four_nodes$x
y <- four_nodes$y
nodes <- four_nodes$nodes
fit <- fit_four_nodes
found <- node_coefficients
base <- fit()

# ---- what comes back ----------------------------------------------------------------

test_that("coef() gives the mean, one node or all", {
  named <- x
  colnames(named) <- c("a", "b", "c")
  model <- fit(.x = named, .nodes = nodes * 10)
  all <- coef(model, node = "all")
  expect_identical(dimnames(all), list(c("10", "20", "30", "40"), c("a", "b", "c")))
  expect_equal(coef(model), colMeans(all), tolerance = 1e-15)
  expect_identical(coef(model, node = "20"), all[2, ])
  expect_identical(coef(model, node = 20), all[2, ])
  expect_identical(coef(model, node = 2), all[2, ])
  expect_identical(names(coef(base)), c("x1", "x2", "x3"))
})

test_that("predict() gives link, probability and class", {
  link <- predict(base, x, type = "link")
  norm <- sqrt(rowSums(x^2))
  expect_equal(link, drop(x %*% coef(base)) / pmax(norm, 1))
  expect_equal(predict(base, x, type = "response"), 1 / (1 + exp(-link)))
  expect_identical(predict(base, Matrix::Matrix(x, sparse = TRUE)), predict(base, x))
  expect_identical(predict(base, x[3, , drop = FALSE], "link"), link[3])
  numbers <- fit(.y = x[, 1], loss = "huber")
  expect_identical(predict(numbers, x, "response"), predict(numbers, x, "link"))
  # a row of any length stays in range
  expect_equal(predict(base, rbind(c(1e200, 0, 0), c(5, 0, 0)), "link"), rep(coef(base)[[1]], 2))
})

test_that("predict() of a regression gives the response unless asked otherwise", {
  fit <- dpadmm_fit(four_nodes$x, four_nodes$x[, 1], four_nodes$nodes, loss = "huber",
    response = c(-1, 1), epsilon = Inf, iterations = 3)
  expect_identical(predict(fit, four_nodes$x), predict(fit, four_nodes$x, type = "response"))
  expect_error(predict(fit, four_nodes$x, type = "class"), class = "dpadmm_error_argument")
})

test_that("columns of new data are found by their names", {
  named <- x
  colnames(named) <- c("a", "b", "c")
  model <- fit(.x = named)
  shuffled <- cbind(named[, c("c", "a")], extra = 9, named[, "b", drop = FALSE])
  expect_equal(predict(model, shuffled, "link"), predict(model, named, "link"))
  expect_equal(predict(model, unname(named), "link"), predict(model, named, "link"))
  colnames(named) <- c("a", "a", "b") # no names to go by
  model <- fit(.x = named)
  expect_equal(found(model), found(base))
  expect_equal(predict(model, named, "link"), predict(base, x, "link"))
})

test_that("print, summary, tidy, glance and privacy tell the same story", {
  model <- fit(epsilon = 8, iterations = 5, seed = 2)
  expect_output(print(model), "MR-ADMM: 4 nodes \\(complete\\), 3 coefficients, 5 iterations")
  expect_output(print(model), "epsilon = 8, replace-one neighbours")
  text <- capture.output(print(summary(model)))
  for (what in c(
    "nodes       4 on a complete network with 6 edges; 15 records each",
    "logistic loss, 3 coefficients, C = 1, rho = 0.01", "noise       gamma, alpha", "epsilon = 8"
  )) {
    expect_match(text, what, fixed = TRUE, all = FALSE)
  }
  capture.output(same <- print(model))
  expect_identical(same, model)

  skip_if_not_installed("generics")
  short <- generics::tidy(model)
  expect_identical(short, data.frame(term = c("x1", "x2", "x3"), estimate = unname(coef(model))))
  long <- generics::tidy(model, nodes = TRUE)
  expect_identical(dim(long), c(12L, 3L))
  expect_identical(long$estimate[long$node == "3" & long$term == "x2"], coef(model, "3")[["x2"]])
  glance <- generics::glance(model)
  expect_identical(nrow(glance), 1L)
  expect_identical(glance$records, 60L)
  expect_equal(glance$epsilon, 8, tolerance = 1e-6)
  expect_true(glance$seeded)
  expect_identical(generics::glance(base)$epsilon, Inf)
})

test_that("plots draw and return their argument", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  for (model in list(
    base, fit(epsilon = 8), fit(epsilon = 8, iterations = 1),
    fit(epsilon = 8, delta = 1e-5, method = admm(perturb = "primal"))
  )) {
    before <- graphics::par("mfrow")
    expect_identical(plot(model), model)
    expect_identical(graphics::par("mfrow"), before)
  }
  skip_if_not_installed("ggplot2")
  model <- fit(epsilon = 8, iterations = 5)
  picture <- ggplot2::autoplot(model)
  expect_s3_class(picture, "ggplot")
  shown <- picture$data
  expect_identical(levels(shown$panel), c(
    "consensus gap", "step size", "epsilon spent", "epsilon against log10(delta)"
  ))
  spent <- shown[shown$panel == "epsilon spent" & shown$line == "sound", ]
  expect_equal(spent$x, c(1, 3, 5))
  expect_equal(spent$value, 8 * (1:3) / 3, tolerance = 1e-6)
  curve <- shown[shown$panel == "epsilon against log10(delta)" & shown$line == "sound", ]
  expect_equal(curve$value, vapply(10^curve$x, function(d) privacy(model, delta = d)$epsilon, 0))
  expect_true(all(diff(curve$value) <= 1e-9) && diff(range(curve$value)) > 0)
  expect_false("epsilon spent" %in% ggplot2::autoplot(base)$data$panel)
})

test_that("the trace measures consensus gap and step from the messages", {
  model <- fit(control = dpadmm_control(keep_iterates = TRUE))
  f <- unname(model$iterates)
  gap <- apply(f, 1, function(at) sqrt(mean(rowSums(sweep(at, 2, colMeans(at))^2))))
  before <- f * 0
  before[-1, , ] <- f[-6, , ]
  step <- apply(f - before, 1, function(at) sqrt(mean(rowSums(at^2))))
  expect_equal(model$trace$gap, gap, tolerance = 1e-12)
  expect_equal(model$trace$step, step, tolerance = 1e-12)
})

test_that("iterates are kept only when asked for, and end at the coefficients", {
  expect_null(base$iterates)
  model <- fit(control = dpadmm_control(keep_iterates = TRUE))
  expect_identical(dim(model$iterates), c(6L, 4L, 3L))
  expect_identical(dimnames(model$iterates)[[2]], base$nodes$names)
  expect_identical(model$iterates[6, , ], coef(model, "all"))
  expect_identical(coef(model), coef(base))
})

test_that("a public start is the first message", {
  start <- matrix(c(1, -2, 3), 4, 3, byrow = TRUE)
  # one huge-penalty update stays where it starts
  hold <- function(start) {
    found(fit(method = admm(eta = 1e9), iterations = 1, control = dpadmm_control(start = start)))
  }
  expect_equal(hold(c(1, -2, 3)), start, tolerance = 1e-6)
  expect_identical(hold(c(1, -2, 3)), hold(start))
  each <- matrix(1:12, 4) # integers are numbers too; ends at the mean with the neighbours'
  expect_equal(hold(each), (each + (outer(rep(1, 4), colSums(each)) - each) / 3) / 2,
    tolerance = 1e-6)
  expect_false(identical(found(fit(control = dpadmm_control(start = c(1, 1, 1)))), found(base)))
})

test_that("rows are shortened to the row bound", {
  long <- x * 7
  norm <- sqrt(rowSums(long^2))
  short <- long * pmin(1, 1 / norm)
  expect_equal(found(fit(.x = long)), found(fit(.x = short)), tolerance = 1e-8)
  bound <- dpadmm_control(row_bound = 0.25)
  expect_equal(
    found(fit(.x = x, control = bound)),
    found(fit(.x = x * pmin(1, 0.25 / sqrt(rowSums(x^2))))),
    tolerance = 1e-8
  )
  # however long they are
  huge <- x
  huge[1, ] <- c(1.5e308, 1.5e308, -1.5e308)
  unit <- x
  unit[1, ] <- c(1, 1, -1) / sqrt(3)
  expect_equal(found(fit(.x = huge)), found(fit(.x = unit)), tolerance = 1e-8)
})

# ---- what stays behind --------------------------------------------------------------

#' Every environment, function and call inside an object.
find_live <- function(object, path = "fit") {
  out <- character()
  if (identical(object, globalenv())) return(out) # a name, not its contents, is stored
  if (is.environment(object)) out <- path
  if (is.function(object)) out <- path
  if (is.call(object) && !inherits(object, "formula")) out <- path
  for (name in names(attributes(object))) {
    out <- c(out, find_live(attr(object, name), paste0(path, "@", name)))
  }
  if (is.list(object)) {
    for (k in seq_along(object)) {
      out <- c(out, find_live(.subset2(object, k), paste0(path, "$", names(object)[k])))
    }
  }
  out
}

test_that("a fit holds no records, closures or environments", {
  local_data <- function(n) {
    ballast <- stats::runif(1e5) # in the formula's environment
    data <- data.frame(
      y = rep(c(TRUE, FALSE), n / 2), age = 1234.5 + seq_len(n) / 7,
      smoker = rep_len(c("no", "yes"), n), at = rep_len(1:4, n)
    )
    schema <- dpadmm_schema(age = c(0, 1e4), smoker = c("no", "yes"))
    dpadmm_fit(y ~ age + smoker, data, nodes = ~at, schema = schema, epsilon = 9, iterations = 4)
  }
  small <- local_data(40)
  large <- local_data(4000)
  live <- find_live(small)
  expect_identical(live[!grepl("@variables$|@predvars$", live)], character()) # names of the terms
  size <- function(object) length(serialize(object, NULL))
  expect_lt(size(large), 25000)
  expect_lt(abs(size(large) - size(small)), 100)
  # no vector as long as the data
  longest <- max(rapply(unclass(large), length, how = "unlist"))
  expect_lt(longest, 100)
  expect_false(any(rapply(unclass(small), function(v) any(abs(v - 1234.5) < 10, na.rm = TRUE),
    classes = c("numeric", "integer"), how = "unlist"
  )))

  matrix_fit <- function(n) {
    x <- matrix(seq_len(3 * n) / n, n)
    dpadmm_fit(x, rep(c(-1, 1), n / 2), nodes = rep_len(1:4, n), epsilon = 9, iterations = 4)
  }
  expect_lt(abs(size(matrix_fit(8000)) - size(matrix_fit(40))), 100)
  expect_identical(find_live(matrix_fit(40)), character())
  expect_null(small$call)
})

test_that("everything but the released values is the same for every data set of these sizes", {
  other <- x[n:1, ] / 3
  one <- unclass(fit(epsilon = 5, seed = 1))
  two <- unclass(fit(.x = other, .y = rev(y), epsilon = 5, seed = 1))
  released <- c("coefficients", "trace")
  expect_identical(one[setdiff(names(one), released)], two[setdiff(names(two), released)])
})

test_that("a saved fit predicts after it is read back", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(base, file)
  expect_identical(predict(readRDS(file), x), predict(base, x))
})

test_that("fitting prints nothing and leaves the input alone", {
  copy <- x + 0
  expect_silent(fit(epsilon = 5))
  expect_identical(x, copy)
})
