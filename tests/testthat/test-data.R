# Where the original files are: UCI's adult.data and adult.test and LIBSVM's a9a
# and a9a.t, xz-compressed. They are not part of the package.
shared_file <- function(name) {
  dir <- Sys.getenv("DPADMM_SHARED_DATA")
  skip_if(dir == "", "DPADMM_SHARED_DATA is not set")
  file <- file.path(dir, name)
  skip_if_not(file.exists(file), paste(name, "is absent"))
  file
}

adult <- dpadmm::adult
factors <- c(
  "workclass", "education", "marital_status", "occupation", "relationship", "race",
  "sex", "native_country"
)
numbers <- c(
  "age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"
)

test_that("adult has UCI's records, attributes and categories", {
  expect_identical(dim(adult), c(48842L, 16L))
  expect_named(adult, c(
    "age", "workclass", "fnlwgt", "education", "education_num", "marital_status",
    "occupation", "relationship", "race", "sex", "capital_gain", "capital_loss",
    "hours_per_week", "native_country", "income", "origin"
  ))
  expect_identical(rep(c("train", "test"), c(32561L, 16281L)), as.character(adult$origin))
  expect_identical(
    unname(vapply(adult[factors], nlevels, 0L)), c(8L, 16L, 7L, 14L, 6L, 5L, 2L, 41L)
  )
  expect_true(all(vapply(adult[numbers], is.integer, NA)))
  # Every category occurs, and the missing values are where UCI has its "?".
  expect_true(all(vapply(adult[factors], function(f) all(table(f) > 0), NA)))
  missing <- colSums(is.na(adult))
  expect_identical(
    missing[missing > 0], c(workclass = 2799, occupation = 2809, native_country = 857)
  )
  complete <- complete.cases(adult)
  expect_identical(sum(complete), 45222L)
  expect_identical(sum(adult$income[complete] == ">50K"), 11208L)
  expect_identical(as.vector(table(adult$origin, adult$income)), c(24720L, 12435L, 7841L, 3846L))
})

test_that("adult's rows are in UCI's order", {
  row <- function(i) unlist(lapply(adult[i, ], as.character), use.names = FALSE)
  expect_identical(row(1L), c(
    "39", "State-gov", "77516", "Bachelors", "13", "Never-married", "Adm-clerical",
    "Not-in-family", "White", "Male", "2174", "0", "40", "United-States", "<=50K", "train"
  ))
  expect_identical(row(32562L), c(
    "25", "Private", "226802", "11th", "7", "Never-married", "Machine-op-inspct",
    "Own-child", "Black", "Male", "0", "0", "40", "United-States", "<=50K", "test"
  ))
  expect_identical(row(32566L), c(
    "18", NA, "103497", "Some-college", "10", "Never-married", NA, "Own-child", "White",
    "Female", "0", "0", "30", "United-States", "<=50K", "test"
  ))
  expect_identical(row(48842L), c(
    "35", "Self-emp-inc", "182148", "Bachelors", "13", "Married-civ-spouse",
    "Exec-managerial", "Husband", "White", "Male", "0", "0", "60", "United-States",
    ">50K", "test"
  ))
})

test_that("education and its rank say the same", {
  ranks <- table(adult$education, adult$education_num) > 0
  expect_identical(unname(rowSums(ranks)), rep(1, 16))
  expect_identical(unname(colSums(ranks)), rep(1, 16))
})

test_that("adult equals the UCI files in every cell", {
  read <- function(name) {
    read.csv(shared_file(name), strip.white = TRUE, na.strings = "?", colClasses = "character")
  }
  uci <- rbind(read("adult.data.xz"), read("adult.test.xz"))
  uci$Y <- sub(".", "", uci$Y, fixed = TRUE)
  ours <- as.data.frame(lapply(adult[1:15], as.character))
  expect_identical(unname(as.matrix(ours)), unname(as.matrix(uci)))
})

test_that("onehot has the papers' 105 columns", {
  d <- adult_matrix()
  expect_s4_class(d$x, "dgCMatrix")
  expect_identical(dim(d$x), c(45222L, 105L))
  expect_false(anyDuplicated(colnames(d$x)) > 0)
  expect_true(all(d$x@x > 0))
  expect_identical(colnames(d$x)[Matrix::colSums(d$x) == 0], "workclass=Never-worked")
  expect_identical(d$train, seq_len(45222) <= 30162)
  expect_identical(as.vector(table(d$y)), c(34014L, 11208L))
  expect_setequal(d$y, c(-1, 1))
})

test_that("onehot agrees with model.matrix() and the maxima of the records", {
  records <- adult[complete.cases(adult), 1:14]
  columns <- lapply(records, function(x) {
    if (is.factor(x)) model.matrix(~ 0 + x) else x / max(x)
  })
  x <- do.call(cbind, columns)
  x <- x / sqrt(rowSums(x^2))
  ours <- adult_matrix("onehot", sparse = FALSE)
  expect_lt(max(abs(unname(ours$x) - unname(x))), 1e-13)
  expect_identical(ours$y > 0, adult$income[complete.cases(adult)] == ">50K")
})

test_that("the first onehot row is as worked out by hand", {
  row <- adult_matrix()$x[1, ]
  expected <- c(
    age = 39 / 90, `workclass=State-gov` = 1, fnlwgt = 77516 / 1490400,
    `education=Bachelors` = 1, education_num = 13 / 16, `marital_status=Never-married` = 1,
    `occupation=Adm-clerical` = 1, `relationship=Not-in-family` = 1, `race=White` = 1,
    `sex=Male` = 1, capital_gain = 2174 / 99999, hours_per_week = 40 / 99,
    `native_country=United-States` = 1
  )
  # 8 ones and 0.18778 + 0.00271 + 0.66016 + 0.00047 + 0.16325 in squares.
  expect_equal(sum(expected^2), 9.01436, tolerance = 1e-6)
  expect_equal(row[row > 0], expected / sqrt(sum(expected^2)), tolerance = 1e-13)
})

test_that("no onehot row is longer than 1, summed either way", {
  sparse <- sqrt(Matrix::rowSums(adult_matrix()$x^2))
  dense <- sqrt(rowSums(adult_matrix(sparse = FALSE)$x^2))
  expect_true(all(sparse <= 1 & dense <= 1))
  expect_gt(min(sparse, dense), 1 - 1e-13)
})

test_that("rows no longer than 1 keep their length", {
  x <- Matrix::sparseMatrix(i = c(1, 1, 2, 3), j = c(1, 2, 1, 2), x = c(3, 4, 0.5, -2),
    dims = c(4, 2)
  )
  expect_equal(as.matrix(shorten_rows(x)), rbind(c(0.6, 0.8), c(0.5, 0), c(0, -1), 0),
    tolerance = 1e-13
  )
})

test_that("a9a's column counts are LIBSVM's", {
  # Counted in LIBSVM's files a9a and a9a.t together.
  counts <- c(
    9627, 8744, 10260, 9537, 10674, 33906, 3862, 1695, 1432, 3136, 1981, 21, 10, 9862,
    9778, 9671, 9738, 9793, 8025, 10878, 1812, 15784, 834, 1601, 2061, 756, 955, 657,
    2657, 247, 1389, 594, 509, 83, 6408, 15784, 10878, 3662, 12110, 22379, 6633, 16117,
    1530, 1518, 628, 37, 1446, 6112, 4923, 5504, 6086, 6172, 2072, 3022, 5611, 1490,
    2355, 242, 983, 15, 2331, 7581, 19716, 12583, 1506, 5125, 41762, 1519, 470, 406,
    4685, 16192, 32650, 44807, 4035, 46560, 2282, 8395, 3292, 22803, 3862, 10490, 43832,
    28, 127, 184, 182, 206, 23, 151, 92, 49, 115, 122, 138, 59, 20, 295, 105, 87, 106,
    86, 951, 67, 37, 38, 103, 23, 45, 65, 75, 85, 19, 88, 49, 21, 30, 23, 155, 27, 46,
    30, 1
  )
  d <- adult_matrix("a9a")
  expect_s4_class(d$x, "dgCMatrix")
  expect_identical(dim(d$x), c(48842L, 123L))
  expect_identical(unname(Matrix::colSums(d$x)), counts)
  expect_true(all(d$x@x == 1))
  # The sum of row number times column number over all ones, from the same files.
  entries <- Matrix::summary(d$x)
  expect_identical(sum(as.double(entries$i) * entries$j), 824669839011)
  expect_identical(as.vector(table(d$y)), c(37155L, 11687L))
  expect_identical(d$train, seq_len(48842) <= 32561)
  expect_identical(range(Matrix::rowSums(d$x)), c(11, 14))
})

test_that("single a9a rows are LIBSVM's", {
  x <- adult_matrix("a9a", sparse = FALSE)$x
  ones <- function(i) unname(which(x[i, ] == 1))
  expect_identical(ones(1), c(3L, 11L, 14L, 19L, 39L, 42L, 55L, 64L, 67L, 73L, 75L, 76L, 80L, 83L))
  # Workclass and occupation are missing.
  expect_identical(ones(32566), c(1L, 14L, 20L, 37L, 42L, 62L, 67L, 72L, 74L, 76L, 78L, 83L))
  expect_identical(
    ones(48842), c(3L, 8L, 16L, 19L, 39L, 40L, 51L, 63L, 67L, 73L, 74L, 76L, 82L, 83L)
  )
})

test_that("a9a equals LIBSVM's files in every row", {
  train <- read_libsvm(shared_file("a9a.svm.xz"), features = 123)
  test <- read_libsvm(shared_file("a9a.t.svm.xz"), features = 123)
  ours <- adult_matrix("a9a")
  expect_identical(unname(ours$x[ours$train, ]), train$x)
  expect_identical(unname(ours$x[!ours$train, ]), test$x)
  expect_identical(ours$y, c(train$y, test$y))
})

test_that("sparse and dense features are the same", {
  for (encoding in c("onehot", "a9a")) {
    sparse <- adult_matrix(encoding)
    dense <- adult_matrix(encoding, sparse = FALSE)
    expect_true(is.matrix(dense$x) && is.double(dense$x))
    expect_identical(as.matrix(sparse$x), dense$x)
    expect_identical(sparse[c("y", "train")], dense[c("y", "train")])
  }
})

test_that("adult_matrix() rejects what it does not know", {
  expect_error(adult_matrix("a8a"), class = "dpadmm_error_argument")
  expect_error(adult_matrix(3), class = "dpadmm_error_argument")
  expect_error(adult_matrix(sparse = NA), class = "dpadmm_error_argument")
  expect_error(adult_matrix(sparse = "yes"), class = "dpadmm_error_argument")
})
