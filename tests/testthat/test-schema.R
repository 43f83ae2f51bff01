# Schemas: from codebooks, joined and taken apart, and names that look like slips.

book <- data.frame(
  name = c("age", "stay", "sex", "smoker", "ward"),
  type = c("Integer", "numeric", "factor", "boolean", " nominal "),
  min = c(18, 0, NA, NA, NA), max = c(100, 60.5, NA, NA, NA),
  levels = c(NA, "", "f|m", NA, "surgery | cardiac|general")
)
schema <- dpadmm_schema(
  age = c(18, 100), stay = c(0, 60.5), sex = c("f", "m"), smoker = c("FALSE", "TRUE"),
  ward = c("surgery", "cardiac", "general")
)

test_that("a codebook is a schema", {
  expect_identical(dpadmm_schema(book), schema)
  expect_identical(dpadmm_schema(codebook = book), schema)
  # as files and other tools have it
  named <- stats::setNames(book, c("Variable", "TYPE", "Min", "Max", "Levels"))
  expect_identical(dpadmm_schema(cbind(named, unit = "years")), schema)
  factors <- as.data.frame(lapply(book, factor))
  expect_identical(dpadmm_schema(factors), schema)
  listed <- book
  listed$levels <- list(NULL, NA, c("f", "m"), character(), c("surgery", "cardiac", "general"))
  expect_identical(dpadmm_schema(listed), schema)
  untyped <- book[c(1:3, 5), names(book) != "type"]
  expect_identical(dpadmm_schema(untyped), schema[c("age", "stay", "sex", "ward")])
  # a level with a bar in it needs a list
  odd <- dpadmm_schema(kind = c("a|b", "c"))
  expect_identical(dpadmm_schema(as.data.frame(odd)), odd)
})

test_that("as.data.frame() gives a codebook back", {
  out <- as.data.frame(schema)
  expect_identical(names(out), c("name", "type", "min", "max", "levels"))
  expect_identical(out$min, c(18, 0, NA, NA, NA))
  expect_identical(out$type[c(1, 3)], c("numeric", "categorical"))
  expect_identical(dpadmm_schema(out), schema)
})

test_that("what a codebook lacks is said with its row", {
  refused <- function(column, k, value, message) {
    bad <- book
    bad[[column]] <- as.character(bad[[column]])
    bad[[column]][k] <- value
    error <- expect_error(dpadmm_schema(bad), message, class = "dpadmm_error_argument")
    error
  }
  expect_identical(refused("min", 2, NA, "Row 2 of the codebook, `stay`, has no `min`")$place, 2L)
  refused("max", 1, "", "has no `max`")
  refused("levels", 3, NA, "`sex`, has no `levels`")
  refused("type", 4, "colour", "Row 4 .* \"colour\", which is none of numeric")
  refused("min", 1, "young", "Row 1 .* \"young\"")
  refused("max", 1, "3", "must increase")
  refused("name", 2, "age", "Two columns of the schema are named `age`")
  refused("name", 2, "", "named")
  expect_error(dpadmm_schema(book[-1]), "column `name`", class = "dpadmm_error_argument")
  expect_error(dpadmm_schema(book[0, ]), "rows", class = "dpadmm_error_argument")
})

test_that("schemas are joined by c() and taken apart by [", {
  parts <- list(schema["age"], schema[2:3], NULL, schema[c(FALSE, FALSE, FALSE, TRUE, TRUE)])
  expect_identical(do.call(c, parts), schema)
  expect_s3_class(schema[-1], "dpadmm_schema")
  expect_error(c(schema, schema[c("sex", "ward")]), "`sex`, `ward`",
    class = "dpadmm_error_argument"
  )
  expect_error(c(schema, c(a = 1)), class = "dpadmm_error_argument")
  expect_error(schema["agee"], "did you mean `age`", class = "dpadmm_error_argument")
  expect_error(schema["weight"], "no column `weight`.$", class = "dpadmm_error_argument")
  expect_blame(dpadmm_schema(age = c(0, 1), age = c(0, 2)), "argument", "age", "Two columns")
  expect_identical(format(schema)[c("stay", "sex")], c(stay = "0 to 60.5", sex = "f, m"))
  expect_output(print(schema), "  ward: surgery, cardiac, general", fixed = TRUE)
})

test_that("a name that looks like a slip is refused before anything is spent", {
  people <- data.frame(
    age = rep(c(20, 50, 80), 8), sex = rep(c("f", "m"), 12), ill = rep(c(TRUE, FALSE), each = 12)
  )
  fit <- function(schema, formula = ill ~ age + sex, data = people) {
    dpadmm_fit(formula, data, nodes = 2, schema = schema, epsilon = 5, iterations = 2)
  }
  slip <- function(...) c(dpadmm_schema(...), schema[c("ward", "stay")])
  error <- expect_blame(fit(slip(agee = c(18, 100), sex = c("f", "m"))), "argument", "schema",
    "`age`, but has a column `agee`", "agee"
  )
  expect_blame(fit(slip(Age = c(18, 100), sex = c("f", "m"))), "argument", "schema", "`Age`", "Age")
  # a schema of a whole database is a word, and a column of the data that is left out is none
  whole <- c(schema, dpadmm_schema(agent = c("a", "b")))
  expect_warning(whole_fit <- fit(whole), "`stay`, `smoker`, `ward`, `agent`",
    class = "dpadmm_warning_schema")
  expect_s3_class(whole_fit, "dpadmm_fit")
  more <- cbind(people, ages = 1)
  expect_warning(
    fit(dpadmm_schema(ages = c(0, 2), sex = c("f", "m")), data = more),
    class = "dpadmm_privacy_leak"
  )
  # other numbers are other names
  expect_warning(
    expect_warning(fit(dpadmm_schema(x1 = c(0, 1)), ill ~ x2, transform(people, x2 = age)),
      class = "dpadmm_privacy_leak"
    ),
    class = "dpadmm_warning_schema"
  )
  plan <- function(schema) dpadmm_plan(ill ~ age, schema, c(20, 30), epsilon = 1)
  expect_blame(plan(slip(agee = c(18, 100))), "argument", "schema", "`agee`", "agee")
  expect_blame(plan(slip(age = c(18, 100), Ill = c("no", "yes"))), "argument", "schema", "`Ill`",
    "Ill"
  )
  expect_s3_class(plan(slip(age = c(18, 100), bill = c(0, 1))), "dpadmm_plan")
})

test_that("a fit says which names of a schema nothing has", {
  set.seed(3)
  data <- data.frame(age = runif(40, 20, 80), pay = runif(40, 1, 9), ill = rep(c(0, 1), 20))
  public <- dpadmm_schema(age = c(18, 90), ill = c(0, 1))
  fit <- function(more, formula = ill ~ age) {
    dpadmm_fit(formula, data, schema = c(public, more), nodes = 2, epsilon = 5, seed = 1)
  }
  seen <- tryCatch(fit(dpadmm_schema(height = c(1, 2), region = c("north", "south"))),
    dpadmm_warning_schema = identity)
  expect_identical(seen$place, c("height", "region"))
  expect_identical(seen$argument, "schema")
  expect_match(conditionMessage(seen), "`height`, `region`", fixed = TRUE)
  # columns that the formula does not use, and terms of them, are no slip
  expect_no_warning(fit(dpadmm_schema(pay = c(0, 10))), class = "dpadmm_warning_schema")
  expect_no_warning(fit(dpadmm_schema(`log(pay)` = c(0, 3))), class = "dpadmm_warning_schema")
  # one that is nearly a variable's name is an error still
  expect_error(fit(dpadmm_schema(pays = c(0, 10)), ill ~ age + pay),
    class = "dpadmm_error_argument")
})
