#' Adult: income of 48,842 people in the US census of 1994
#'
#' All records of the UCI Adult data set in their original order, the 32,561 of
#' the training file first and then the 16,281 of the test file. The task is to
#' predict whether a person earns more than 50,000 dollars a year. A value that
#' UCI writes as `?` is `NA`; 45,222 records are complete, of which 11,208 have
#' an income above 50,000. The data are real people's answers, public since 1996.
#'
#' Factors carry every category of the UCI description, in the order in which
#' they appear among the columns of `adult_matrix("a9a")`.
#'
#' @format A data frame with 48,842 rows and 16 columns:
#' \describe{
#'   \item{age}{years, 17 to 90, integer.}
#'   \item{workclass}{kind of employer, factor with 8 levels; 2,799 missing.}
#'   \item{fnlwgt}{final weight: how many people the census thinks the record
#'     stands for, 12,285 to 1,490,400, integer.}
#'   \item{education}{highest level reached, factor with 16 levels.}
#'   \item{education_num}{the same as a rank from 1 to 16, integer.}
#'   \item{marital_status}{factor with 7 levels.}
#'   \item{occupation}{factor with 14 levels; 2,809 missing.}
#'   \item{relationship}{role in the household, factor with 6 levels.}
#'   \item{race}{factor with 5 levels.}
#'   \item{sex}{factor with levels `Female` and `Male`.}
#'   \item{capital_gain, capital_loss}{dollars, 0 to 99,999 and 0 to 4,356,
#'     integer.}
#'   \item{hours_per_week}{hours worked, 1 to 99, integer.}
#'   \item{native_country}{factor with 41 levels (UCI's spelling); 857 missing.}
#'   \item{income}{factor with levels `<=50K` and `>50K`: the label.}
#'   \item{origin}{factor with levels `train` and `test`: the UCI file.}
#' }
#' @source Becker, B. and Kohavi, R. (1996). Adult. UCI Machine Learning
#'   Repository. \doi{10.24432/C5XW20}. Licensed under Creative Commons
#'   Attribution 4.0 International (CC BY 4.0),
#'   <https://creativecommons.org/licenses/by/4.0/>. Changes: the two files are
#'   put together, attributes are renamed, `?` became `NA`, and the periods after
#'   the labels of the test file are gone. The records were taken from the copy in
#'   the CRAN package fairmodels and agree with the UCI files in every cell.
#' @seealso [adult_matrix()] for the features used in the papers.
#' @examples
#' table(adult$income, adult$origin)
#' sum(complete.cases(adult))
"adult"

# Constants of the encodings, so that no column depends on the records at hand.
# What the six numbers are divided by: the largest value in the UCI files (the
# same among all records and among the complete ones).
.adult_maximum <- c(
  age = 90, fnlwgt = 1490400, education_num = 16, capital_gain = 99999,
  capital_loss = 4356, hours_per_week = 99
)
# Upper ends of a9a's bins, each bin closed on the right; the last is unbounded.
.adult_cuts <- list(
  age = c(25, 32, 40, 49), fnlwgt = c(106637, 158656, 196337, 259865),
  education_num = c(8, 9, 10, 12), capital_gain = 0, capital_loss = 0,
  hours_per_week = c(34, 39, 40, 47)
)
.adult_attributes <- c(
  "age", "workclass", "fnlwgt", "education", "education_num", "marital_status",
  "occupation", "relationship", "race", "sex", "capital_gain", "capital_loss",
  "hours_per_week", "native_country"
)

#' Adult as a feature matrix
#'
#' Turns [adult] into the features and labels of the papers' experiments. No
#' constant is computed from the records: categories, bins and maxima are fixed.
#'
#' `"onehot"` is the preparation of Zhang, Khalili and Liu (2018, section 5;
#' 2019, section VIII): records with a missing value are dropped, each category
#' of the 8 categorical attributes becomes a 0/1 column, the 6 numbers are divided
#' by their largest value, and each row is divided by its norm if that exceeds 1.
#' (It always does: a row holds eight ones. All norms are 1 up to 1e-14, and
#' never above 1 in double precision.) The 8 attributes have 8 + 16 + 7 + 14 +
#' 6 + 5 + 2 + 41 = 99 categories in UCI's description, so there are 105 columns,
#' as the papers say. One of them, `workclass=Never-worked`, is zero throughout:
#' the ten people who never worked have no occupation and are dropped with the
#' incomplete records. It stays, because the set of columns is part of the public
#' description and must not depend on who is in the data. The papers count 45,223
#' records; the UCI files have 45,222 complete ones.
#'
#' `"a9a"` is LIBSVM's data set of that name (after Platt, 1998), all 123 columns
#' and all records, row for row: a 0/1 column for each bin of the 6 numbers and
#' for each category; a missing value sets no column. Rows have 11 to 14 ones and
#' are *not* scaled to norm 1.
#'
#' @param encoding `"onehot"` or `"a9a"`, see Details.
#' @param sparse If `TRUE` (the default) `x` is a sparse matrix, else a dense one.
#' @return A list with one entry per record, in the order of [adult], in each of
#' \describe{
#'   \item{x}{features, a `dgCMatrix` or a matrix with column names: 45,222 x 105
#'     for `"onehot"`, 48,842 x 123 for `"a9a"`.}
#'   \item{y}{labels, 1 for an income above 50,000 and -1 otherwise.}
#'   \item{train}{`TRUE` for records of UCI's training file: the first 30,162 for
#'     `"onehot"`, the first 32,561 (LIBSVM's file `a9a`, the others being
#'     `a9a.t`) for `"a9a"`.}
#' }
#' @section Errors: `dpadmm_error_argument` for an unknown encoding or a `sparse`
#'   that is not `TRUE` or `FALSE`.
#' @references
#' Zhang, X., Khalili, M. M. and Liu, M. (2018). Improving the privacy and accuracy
#' of ADMM-based distributed algorithms. ICML. \doi{10.48550/arXiv.1806.02246}
#'
#' Zhang, X., Khalili, M. M. and Liu, M. (2019). Recycled ADMM: improving the
#' privacy and accuracy of distributed algorithms. \doi{10.48550/arXiv.1910.04581}
#'
#' Platt, J. C. (1998). Fast training of support vector machines using sequential
#' minimal optimization. In *Advances in Kernel Methods*, MIT Press.
#'
#' Chang, C.-C. and Lin, C.-J. LIBSVM data: classification.
#' <https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html>
#' @examples
#' onehot <- adult_matrix()
#' dim(onehot$x)
#' onehot$x[1, onehot$x[1, ] > 0]
#' table(onehot$y, onehot$train)
#' @export
adult_matrix <- function(encoding = c("onehot", "a9a"), sparse = TRUE) {
  encoding <- check_choice(encoding, c("onehot", "a9a"), "encoding")
  check_flag(sparse, "sparse")
  records <- dpadmm::adult
  if (encoding == "onehot") {
    records <- records[rowSums(is.na(records)) == 0, ]
    blocks <- Map(onehot_block, records[.adult_attributes], .adult_attributes)
  } else {
    blocks <- Map(a9a_block, records[.adult_attributes], .adult_attributes)
  }
  x <- bind_blocks(blocks, nrow(records))
  if (encoding == "onehot") x <- shorten_rows(x)
  list(
    x = if (sparse) x else as.matrix(x),
    y = ifelse(records$income == ">50K", 1, -1),
    train = records$origin == "train"
  )
}

onehot_block <- function(x, attribute) {
  if (is.factor(x)) return(category_block(x, attribute))
  list(at = 1L, value = x / .adult_maximum[[attribute]], names = attribute)
}

a9a_block <- function(x, attribute) {
  if (is.factor(x)) return(category_block(x, attribute))
  cuts <- .adult_cuts[[attribute]]
  list(
    at = findInterval(x, cuts, left.open = TRUE) + 1L, value = 1,
    names = paste0(
      c("", paste0(cuts, "<")), attribute, c(paste0("<=", cuts), "")
    )
  )
}

#' Divide the rows of a dgCMatrix that are longer than 1 by their norm.
#' @noRd
shorten_rows <- function(x) {
  # A little more than the norm: rounding must not leave a row longer than 1.
  norm <- sqrt(Matrix::rowSums(x^2)) * (1 + 1e-14)
  x@x <- x@x / pmax(norm, 1)[x@i + 1L]
  x
}
