# Rows of data frames with factors: entries of terms, and how they are kept.

set.seed(8)
n <- 700
mixed <- data.frame(
  a = runif(n), k = sample(0:9, n, TRUE), g = factor(sample(letters[1:4], n, TRUE), letters[1:5]),
  h = sample(c(TRUE, FALSE), n, TRUE), b = round(rnorm(n)), s = sample(c("u", "v w"), n, TRUE),
  y = sample(c(-1, 1), n, TRUE)
)
mixed$`c d` <- runif(n)
mixed_schema <- dpadmm_schema(a = c(0, 1), k = c(0, 9), g = letters[1:5], b = c(-2, 2),
  s = c("u", "v w"), `c d` = c(0, 2), "log(a + 1)" = c(0, 1))

records_of_frame <- function(formula, data = mixed) {
  dpadmm:::records_frame(formula, data, NULL, mixed_schema, dpadmm_loss("logistic"))
}

# the variables that model.matrix() gets: numbers in the units of the blueprint
plain_variables <- function(blueprint, data) {
  as.data.frame(Map(function(how, name) {
    x <- if (name %in% names(data)) data[[name]] else eval(str2lang(name), data)
    if (how$type == "levels") return(factor(x, how$values))
    (pmin(pmax(x, how$values[1]), how$values[2]) - how$centre) / how$half
  }, blueprint$variables, names(blueprint$variables)), optional = TRUE)
}

test_that("rows are those of model.matrix() with an indicator for each level", {
  formulas <- list(y ~ a + g, y ~ a * g, y ~ 0 + g:h + k, y ~ a:k:b + s, y ~ (a + g + h + k)^2,
    y ~ `c d` * g, y ~ 0 + s:g:h, y ~ b * a:g, y ~ g - 1, y ~ g %in% h, y ~ s / g)
  for (formula in formulas) {
    records <- records_of_frame(formula)
    blueprint <- records$blueprint
    plain <- plain_variables(blueprint, mixed)
    expected <- model.matrix(delete.response(terms(formula)), plain,
      contrasts.arg = lapply(Filter(is.factor, plain), contrasts, contrasts = FALSE))
    found <- dpadmm:::model_matrix(records$x)
    expect_s4_class(found, "dgCMatrix")
    expect_identical(colnames(found), colnames(expected))
    expect_identical(blueprint$assign, attr(expected, "assign"))
    expect_identical(unname(as.matrix(found)), blueprint$factor * matrix(expected, n))
    expect_false(any(found@x == 0))
    one <- dpadmm:::encode_frame(blueprint, dpadmm:::take_source(records$x$source, 7L))
    expect_identical(one, found[7L, , drop = FALSE])
  }
})

# ---- stores ------------------------------------------------------------------------------

# The rows of a store of layout "terms" as a plain matrix.
decoded <- function(x) {
  out <- matrix(0, x$Dim[2], x$Dim[1])
  for (term in x$terms) {
    count <- max(length(term$value), if (is.null(term$value)) term$features)
    bytes <- if (count <= 256) 1 else 2
    code <- if (is.null(term$code)) rep(0L, x$Dim[2])
      else readBin(term$code, "integer", x$Dim[2], size = bytes, signed = FALSE)
    place <- if (!is.null(term$place)) term$place[code + 1L]
      else if (is.null(term$value)) code else 0L
    value <- if (!is.null(term$number)) term$number
      else if (!is.null(term$value)) term$value[code + 1L] else 1
    out[cbind(seq_len(x$Dim[2]), term$first + place + 1L)] <- value
  }
  out
}

# so that rows come in several blocks, as those of large data do
in_blocks <- function(records, size, order = NULL) {
  local_binding("row_blocks", function(n, ...) {
    first <- seq(1, n, by = size)
    Map(seq, first, pmin(first + size - 1, n))
  })
  dpadmm:::transposed_rows(records$x, order)
}

test_that("columns of terms say what the rows are, whatever comes in which block", {
  many <- transform(mixed, z = factor(sample(300, n, TRUE), 1:300), x = rnorm(n),
    w = c(rep(0, 400), rnorm(300)))
  many$`c d` <- mixed$`c d`
  schema <- c(unclass(mixed_schema), list(z = as.character(1:300), x = c(-2, 2), w = c(-2, 2)))
  schema <- do.call(dpadmm_schema, schema)
  formula <- y ~ x * g + w + z + k * h + g:w + b
  records <- dpadmm:::records_frame(formula, many, NULL, schema, dpadmm_loss("logistic"))
  records$x$blueprint$factor <- 1
  expected <- unname(as.matrix(dpadmm:::model_matrix(records$x)))
  order <- sample(n)
  for (size in c(3, 290, 300, n)) {
    found <- in_blocks(records, size)
    expect_identical(found$layout, "terms")
    expect_identical(decoded(found$x), expected)
    expect_identical(decoded(in_blocks(records, size, order)$x), expected[order, ])
  }
  kinds <- vapply(found$x$terms, function(term) {
    bytes <- length(term$code) / n
    paste0(bytes, if (!is.null(term$number)) "n" else if (!is.null(term$value)) "v")
  }, "")
  names(kinds) <- c("1", attr(records$blueprint$terms, "term.labels"))
  expect_identical(kinds[c("1", "x", "g", "w", "z", "k", "h", "x:g", "k:h", "b")], c(
    "1" = "0", x = "0n", g = "1", w = "2v", z = "2", k = "1v", h = "1", "x:g" = "1n", "k:h" = "1v",
    b = "1v"
  ))
})

test_that("whole numbers are places within their bounds, where a list of these is small", {
  few <- data.frame(a = sample(-3:400, 2000, TRUE), b = sample(1:90, 2000, TRUE),
    c = sample(0:5000, 2000, TRUE), d = sample(0:9, 2000, TRUE), y = rep(c(-1, 1), 1000))
  schema <- dpadmm_schema(a = c(0, 300), b = c(1, 90), c = c(0, 5000), d = c(0.5, 8))
  records <- dpadmm:::records_frame(y ~ a + b * d + c, few, NULL, schema,
    dpadmm_loss("logistic"))
  records$x$blueprint$factor <- 1
  for (size in c(90, 2000)) {
    x <- in_blocks(records, size)$x
    expect_true(x$full)
    expect_identical(decoded(x), unname(dpadmm:::model_matrix(records$x)))
    listed <- lengths(lapply(x$terms, `[[`, "value")) # of (Intercept), a, b, d, c, b:d
    expect_identical(listed[1:5], c(0L, 301L, 90L, 9L, 0L))
  }
})

test_that("fits of terms and of sparse or dense rows are the same to the last bit", {
  with_rows <- function(code) {
    local_binding("fit_terms", function(entries) FALSE)
    code
  }
  given <- list(data = mixed, schema = mixed_schema, epsilon = 1, delta = 1e-5, seed = 1)
  for (how in list(list(nodes = 5, method = r_admm(), iterations = 4), list(nodes = 3),
    list(method = fp_admm(gamma = 2)), list(method = dp_sgd()))) {
    for (formula in c(y ~ a * g + k + h, y ~ k * b + a)) {
      expect_identical(dpadmm:::transposed_rows(records_of_frame(formula)$x)$layout, "terms")
      fit <- function() coef(do.call(dpadmm_fit, c(formula, given, how)))
      expect_identical(fit(), with_rows(fit()))
    }
  }
})

test_that("columns of far or near numbers are bounded, by the schema or not", {
  data <- data.frame(y = rep(c(-1, 1), 20), i = rep(c(-2000000000L, 2000000000L, 5L, 5L), 10),
    least = rep(c(0, 5e-324), 20), tiny = rep(c(0, 1e-309), 20))
  fit <- function(...) {
    coef(dpadmm_fit(..., data = data, nodes = 2, epsilon = 1, delta = 1e-5, seed = 1,
      iterations = 2))
  }
  wide <- dpadmm_schema(i = c(-2000000000L, 2000000000L))
  expect_identical(suppressWarnings(fit(y ~ i)), fit(y ~ i, schema = wide))
  expect_true(all(is.finite(suppressWarnings(fit(y ~ i + least)))))
  for (step in c(5e-324, 1e-310, 1e-308)) {
    expect_error(dpadmm_schema(least = c(0, step)), class = "dpadmm_error_argument")
  }
  expect_true(all(is.finite(suppressWarnings(fit(y ~ tiny)))))
  expect_true(all(is.finite(fit(y ~ tiny, schema = dpadmm_schema(tiny = c(0, 2e-308))))))
})

test_that("terms that are not as they must be are refused", {
  records <- records_of_frame(y ~ a + g + k)
  fit <- dpadmm_fit(y ~ a + g + k, mixed, mixed_schema, nodes = 2, method = r_admm(),
    epsilon = Inf, lambda = 0.1, iterations = 2, seed = 1)
  held <- list(index = rep(1:2, n / 2), size = fit$plan$problem$size)
  given <- dpadmm:::core_records(fit$plan, records, held)
  run <- function(x) {
    dpadmm:::run_core(fit$plan, replace(given, "x", list(x)), noise_key(1), FALSE, 1L, NULL)$f
  }
  with_term <- function(k, ...) {
    x <- given$x
    new <- list(...)
    x$terms[[k]][names(new)] <- new
    x
  }
  expect_true(all(is.finite(run(given$x))))
  g <- given$x$terms[[3]]
  k <- given$x$terms[[4]]
  spoilt <- list(
    with_term(3, code = replace(g$code, 5, as.raw(5))), with_term(3, code = g$code[-1]),
    with_term(3, code = as.integer(g$code)), with_term(3, code = NULL),
    with_term(3, first = 1), with_term(3, features = 99), with_term(3, features = 3),
    with_term(2, number = 1:3), with_term(4, value = as.integer(k$value)),
    with_term(4, value = k$value[-1]), with_term(4, place = rep(0L, length(k$value) - 1)),
    with_term(4, place = rep(1L, length(k$value))), with_term(3, place = 0L),
    replace(given$x, "terms", list(list())), replace(given$x, "terms", list(NULL)),
    replace(given$x, "terms", list(given$x$terms[4:1])), replace(given$x, "Dim", list(c(8L, 3L)))
  )
  for (x in spoilt) expect_error(run(x), class = "dpadmm_error_argument")
})
