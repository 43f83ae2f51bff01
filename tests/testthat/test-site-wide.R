# Sites with many columns, and a column of many levels: the numbers of one process, and calls that
# a DataSHIELD server takes.

skip_on_cran()

uneven <- function(n, k) (sin(seq_len(n) * k) * 43758.5453) %% 1

expect_as_inside <- function(frames, schema, formula) {
  sites <- sites_local(frames, schema, epsilon = 100, delta = 1e-4, simulation = TRUE)
  plan <- suppressWarnings(dpadmm_plan(formula, sites,
    epsilon = 8, delta = 1e-4, iterations = 3, method = grad_admm()
  ))
  over <- suppressWarnings(dpadmm_fit(plan, sites, seed = 5))
  inside <- suppressWarnings(dpadmm_fit(plan, do.call(rbind, unname(frames)),
    nodes = rep(names(frames), vapply(frames, nrow, 0L)), seed = 5
  ))
  expect_identical(over$coefficients, inside$coefficients)
  recipe <- text_to_wire(plan_recipe(plan))
  expect_match(recipe, "^[A-Za-z0-9_.+:-]+$") # what Opal lets through
  expect_lt(nchar(recipe), 1e5)
  plan$problem$d
}

test_that("a column of hundreds of levels", {
  skip_unless_sites()
  levels <- sprintf("ward%03d", 1:400)
  frames <- lapply(c(A = 1, B = 2), function(k) {
    data.frame(ward = levels[1 + floor(400 * uneven(500, k + 0.3))], age = 20 + 1:500 %% 70,
      ill = ifelse(uneven(500, k + 0.7) > 0.5, "yes", "no"))
  })
  schema <- dpadmm_schema(ward = levels, age = c(18, 100), ill = c("no", "yes"))
  expect_identical(expect_as_inside(frames, schema, ill ~ ward + age), 402L)
})

test_that("a formula of a thousand columns", {
  skip_unless_sites()
  names <- sprintf("x%04d", 1:1000)
  frames <- lapply(c(A = 0.37, B = 0.53), function(k) {
    x <- as.data.frame(matrix(uneven(2e4, k), 20, dimnames = list(NULL, names)))
    x$ill <- ifelse(uneven(20, k + 3) > 0.5, "yes", "no")
    x
  })
  bounds <- stats::setNames(rep(list(c(0, 1)), 1000), names)
  schema <- do.call(dpadmm_schema, c(bounds, list(ill = c("no", "yes"))))
  formula <- stats::reformulate(names, "ill")
  expect_identical(expect_as_inside(frames, schema, formula), 1001L)
})

test_that("offsets are found at any depth of a sum", {
  terms <- c("offset(log(t))", sprintf("x%d", 1:1500), "offset(w)", "(offset(v) + z)")
  split <- asNamespace("dpadmm")$split_offset(stats::reformulate(terms, "y", intercept = FALSE))
  expect_identical(split$offset, quote(log(t) + w + v))
  kept <- c(sprintf("x%d", 1:1500), "(z)")
  expect_identical(attr(stats::terms(split$formula), "term.labels"), c(kept[-1501], "z"))
})
