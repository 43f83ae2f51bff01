# Inputs that R users have: one column of labels, subset, integer64, variables taken out, no rows.

set.seed(5)
n <- 80
people <- data.frame(
  age = runif(n, 20, 90), day = as.Date("2020-01-01") + seq_len(n), h = rep(c("A", "B"), n / 2)
)
people$ill <- people$age + rnorm(n, sd = 20) > 55
public <- dpadmm_schema(age = c(18, 100))
fit_of <- function(formula, data = people, ..., nodes = ~h) {
  dpadmm_fit(formula, data, nodes = nodes, schema = public, ..., epsilon = Inf, iterations = 3)
}
x <- cbind(a = people$age / 100)
y <- ifelse(people$ill, 1, -1)
by_matrix <- function(y, .x = x) dpadmm_fit(.x, y, nodes = people$h, epsilon = Inf, iterations = 3)

test_that("labels may come as one column", {
  base <- coef(by_matrix(y))
  expect_identical(coef(by_matrix(matrix(y))), base)
  expect_identical(coef(by_matrix(data.frame(y = y))), base)
  expect_identical(coef(by_matrix(matrix(y > 0))), base)
  expect_error(by_matrix(cbind(y, y)), class = "dpadmm_error_shape")
  people$column <- matrix(people$ill)
  expect_identical(coef(fit_of(column ~ age, people)), coef(fit_of(ill ~ age)))
  model <- by_matrix(y)
  expect_identical(evaluate(model, x, matrix(y)), evaluate(model, x, y))
})

test_that("variables that are taken out are not looked at", {
  base <- coef(fit_of(ill ~ age))
  expect_identical(coef(fit_of(ill ~ . - day)), base)
  expect_identical(coef(fit_of(ill ~ . - h - day)), base)
  expect_identical(names(coef(fit_of(ill ~ . - h - day - age))), "(Intercept)")
  odd <- stats::setNames(people, c("my age", "day", "h", "is ill"))
  schema <- do.call(dpadmm_schema, list("my age" = c(18, 100)))
  model <- dpadmm_fit(`is ill` ~ . - day, odd, nodes = ~h, schema = schema, epsilon = Inf,
    iterations = 3
  )
  expect_equal(unname(coef(model)), unname(base))
})

test_that("subset is evaluated as lm() does", {
  base <- fit_of(ill ~ age, people[people$age > 40, ])
  limit <- 40
  expect_identical(coef(fit_of(ill ~ age, subset = age > limit)), coef(base))
  expect_identical(coef(fit_of(ill ~ age, subset = which(age > 40))), coef(base))
  expect_identical(coef(fit_of(ill ~ age, subset = -which(age <= 40))), coef(base))
  by_vector <- fit_of(ill ~ age, nodes = people$h, subset = age > 40)
  expect_identical(coef(by_vector), coef(base))
  expect_identical(by_vector$nodes$size, base$nodes$size)
  for (bad in list("a", 0.5, 81, c(1, 1), c(-1, 1), TRUE)) {
    expect_blames(fit_of(ill ~ age, subset = bad), "subset")
  }
  expect_blames(fit_of(ill ~ age, subset = nobody > 1), "subset")
  expect_blames(fit_of(ill ~ age, subset = ifelse(age > 60, NA, TRUE)), "subset",
    "dpadmm_error_missing"
  )
})

test_that("rows chosen by what records hold are a leak, rows by number are not", {
  private <- function(..., schema = public) {
    suppressWarnings(dpadmm_fit(ill ~ age, people, nodes = ~h, schema = schema, epsilon = 1,
      iterations = 2, ...), classes = "dpadmm_warning_utility")
  }
  limit <- 40
  for (call in expression(age > limit, which(people$age > 40), h == "A" | age > 0)) {
    expect_warning(model <- eval(substitute(private(subset = call), list(call = call))),
      "how many rows `subset` keeps. Choose", fixed = TRUE, class = "dpadmm_privacy_leak")
    expect_match(format(privacy(model)), "Not covered: .* how many rows `subset` keeps",
      all = FALSE)
  }
  expect_warning(both <- private(subset = age > 40, schema = NULL),
    "the range of `age`; how many rows", class = "dpadmm_privacy_leak")
  first <- 1:60
  expect_no_warning(model <- private(subset = first), class = "dpadmm_privacy_leak")
  expect_no_match(format(privacy(model)), "subset")
})

# what bit64::as.integer64() makes, without the package: bytes of whole numbers
as_integer64 <- function(v) {
  low <- v %% 2^32
  halves <- rbind(ifelse(low >= 2^31, low - 2^32, low), v %/% 2^32)
  bytes <- writeBin(suppressWarnings(as.integer(halves)), raw(), endian = "little") # NA is -2^31
  structure(readBin(bytes, "double", length(v), endian = "little"), class = "integer64")
}

test_that("integer64 columns are numbers", {
  values <- c(0, 1, -1, 2^31, -2^31 + 5, 2^40 + 3, -2^45 - 7, 2^53)
  expect_identical(dpadmm:::plain_numbers(as_integer64(values)), values)
  na <- structure(readBin(as.raw(c(rep(0, 7), 128)), "double", endian = "little"),
    class = "integer64")
  expect_identical(dpadmm:::plain_numbers(na), NA_real_)
  whole <- big <- transform(people, age = round(age), ill = ill + 0)
  big$age <- as_integer64(whole$age)
  big$ill <- as_integer64(whole$ill)
  expect_identical(coef(fit_of(ill ~ age, big[-2])), coef(fit_of(ill ~ age, whole[-2])))
  model <- fit_of(ill ~ age, whole)
  expect_identical(predict(model, big, "link"), predict(model, whole, "link"))
  expect_identical(evaluate(model, big), evaluate(model, whole))
  expect_identical(coef(by_matrix(as_integer64((y + 1) / 2))), coef(by_matrix(y)))
})

test_that("no rows give no predictions, and a matrix fit takes a data frame", {
  model <- fit_of(ill ~ age)
  expect_identical(predict(model, people[0, ]), logical())
  expect_identical(predict(model, people[0, ], "link"), numeric())
  by_names <- by_matrix(factor(y, labels = c("no", "yes")), cbind(x, b = 0.1))
  frame <- data.frame(b = 0.1, other = "z", a = x[, "a"])
  expect_identical(predict(by_names, frame, "link"), predict(by_names, cbind(x, b = 0.1), "link"))
  expect_identical(predict(by_names, frame[0, ]), factor(character(), c("no", "yes")))
  expect_error(predict(by_names, frame["b"]), class = "dpadmm_error_shape")
})

test_that("a factor with a third level is told what to do", {
  expect_error(by_matrix(factor(y, c(-1, 1, 0))), "droplevels", class = "dpadmm_error_labels")
})

test_that("names that are none of R's are columns as others are", {
  odd <- people
  odd$ward <- rep(c("a", "b", "c", "b"), n / 4)
  plain <- c(public, dpadmm_schema(ward = c("a", "b", "c"), ill = c("FALSE", "TRUE")))
  rename <- function(names) {
    names[names == "age"] <- "IL-6 level"
    names[names == "ward"] <- "1st ward"
    names
  }
  quoted <- c("(Intercept)", "`IL-6 level`", paste0("`1st ward`", c("a", "b", "c")))
  for (formula in c(ill ~ age + ward, ill ~ age * ward)) {
    base <- dpadmm_fit(formula, odd, ~h, schema = plain, epsilon = Inf)
    renamed <- stats::setNames(odd, rename(names(odd)))
    schema <- do.call(dpadmm_schema, stats::setNames(unclass(plain), rename(names(plain))))
    words <- sub("ward", "`1st ward`", sub("age", "`IL-6 level`", deparse(formula)))
    fit <- dpadmm_fit(stats::as.formula(words), renamed, ~h, schema = schema, epsilon = Inf)
    expect_identical(unname(coef(fit)), unname(coef(base)))
    expect_identical(names(coef(fit))[1:5], quoted)
    expect_identical(predict(fit, renamed), predict(base, odd))
  }
})

test_that("a plan's `.` has every column of the schema, whatever its name, and no term", {
  public <- dpadmm_schema(age = c(18, 100), `IL-6` = c(0, 9), `a b` = c("no", "yes"),
    `log(age)` = c(2, 5), `I(age > 50)` = c("FALSE", "TRUE"), ill = c("no", "yes"))
  plan <- dpadmm_plan(ill ~ ., public, sizes = c(90, 80), epsilon = 1)
  expect_identical(plan$problem$blueprint$columns,
    c("(Intercept)", "age", "`IL-6`", "`a b`no", "`a b`yes"))
})

test_that("a factor of one level, a response of two columns, a lone record are said", {
  people$ward <- "a"
  expect_error(dpadmm_fit(ill ~ age + ward, people, ~h, epsilon = Inf), "`ward` has one level",
    class = "dpadmm_error_level")
  expect_error(fit_of(cbind(ill, age) ~ age), "The response", class = "dpadmm_error_labels")
  expect_error(fit_of(age ~ 1), 'A loss of numbers is "huber"', class = "dpadmm_error_labels")
  expect_error(fit_of(ill ~ age, people[1, ], nodes = 1), "at least two",
    class = "dpadmm_error_nodes")
  for (formula in c(ill ~ age + ill, ill ~ age * ill, ill ~ ill)) {
    expect_error(fit_of(formula), "among its predictors", class = "dpadmm_error_argument")
  }
  for (name in c("", NA)) {
    nameless <- stats::setNames(people[c("ill", "age", "h", "ward")], c("ill", "age", "h", name))
    expect_blame(fit_of(ill ~ age, nameless), "argument", "data", "no name")
  }
  expect_error(dpadmm_control(row_bound = 1e-300), class = "dpadmm_error_argument")
  expect_error(dpadmm_fit(), class = "dpadmm_error")
  expect_error(by_matrix(y, matrix("a", n)), "type character", class = "dpadmm_error_argument")
})

test_that("a factor of thousands of levels, such as codes of diagnoses, takes no square of them", {
  codes <- sprintf("%04d", 1:3000)
  some <- data.frame(code = rep(codes[7 * 1:40], 2), ill = rep(c(FALSE, TRUE), each = 40))
  peak <- function() sum(gc()[, 6L])
  gc(reset = TRUE)
  before <- peak()
  fit <- dpadmm_fit(ill ~ code, some, nodes = 2, schema = dpadmm_schema(code = codes),
    epsilon = Inf, iterations = 1)
  expect_length(coef(fit), 3001L)
  expect_lt(peak() - before, 60) # MB; the square has 72
})
