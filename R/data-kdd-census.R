#' Read data sets that cannot be bundled
#'
#' For your own copies of the data that [sim_bio_train()] and [sim_census()] stand for.
#' Files may be compressed (gzip, bzip2, xz, told by their contents).
#'
#' * `read_bio_train()`: `bio_train.dat` (or `bio_test.dat`) of the KDD Cup 2004's protein
#'   homology task. A record a line, 77 numbers separated by blanks or tabs: block,
#'   example, class (0, 1, or `?` in the test file), 74 features.
#' * `read_census()`: an IPUMS extract in its CSV format, with a header. IPUMS forbids
#'   redistribution; <https://international.ipums.org> gives extracts to registered users.
#'   Which attributes make up the papers' 58 (US) and 53 (Brazil) columns is not printed
#'   there, so you say it by `schema`: indicator columns for the codes of categorical
#'   attributes, one column in \[0, 1\] for a numeric one. The labels ask whether the
#'   income is above `threshold`: 25,000 dollars a year for the US, 300 a month for Brazil.
#'
#' @param file path of the file.
#' @param income name of the income's column.
#' @param threshold what an income must exceed for the label 1.
#' @param schema the attributes, by [dpadmm_schema()]: all codes of a categorical one, as
#'   the file writes them; the two bounds of a numeric one (values outside are set to the
#'   nearer bound). From the codebook, not from the records.
#' @param missing a named list: for each column with such codes, those that mean "missing"
#'   or "not asked" (`list(INCTOT = c("9999998", "9999999"))`). Records with one of them
#'   are left out.
#' @return A list with an entry per record in each of
#' \describe{
#'   \item{x}{features: an n x 74 matrix as the file has them, of unlike scales
#'     (`read_bio_train()`); an n x p `dgCMatrix` with column names (`read_census()`).}
#'   \item{y}{labels -1 and 1; `NA` where the file says `?`.}
#'   \item{block, example}{numbers of the block and the example (`read_bio_train()`).}
#' }
#' @section Errors: `dpadmm_error_parse` for a malformed file: the message names the first
#'   bad line and what is wrong there, and its field `place` is the number of the line.
#'   `dpadmm_error_level` for a code that the schema does not have. `dpadmm_error_argument`
#'   if there is no such file or column, or an argument is wrong.
#' @source Caruana, R., Joachims, T. and Backstrom, L. (2004). KDD-Cup 2004: results and
#'   analysis. *SIGKDD Explorations* 6(2). \doi{10.1145/1046456.1046470}
#' @seealso [read_libsvm()].
#' @examples
#' file <- tempfile()
#' writeLines(c("SEX,AGE,INCTOT", "1,30,26000", "2,51,12000", "2,8,9999999"), file)
#' schema <- dpadmm_schema(SEX = c("1", "2"), AGE = c(0, 100))
#' read_census(file, "INCTOT", 25000, schema, missing = list(INCTOT = "9999999"))
#' @name read_data
NULL

#' @rdname read_data
#' @export
read_bio_train <- function(file) {
  columns <- 77L
  tokens <- file_tokens(read_bytes(check_file_name(file)))
  if (length(tokens$text) == 0L) abort("parse", "`file` holds no records.", argument = "file")
  line <- tokens$line[tokens$first]
  count <- diff(c(which(tokens$first), length(tokens$text) + 1L))
  if (any(bad <- count != columns)) {
    at <- which(bad)[1L]
    abort_line(line[at], sprintf("it has %d numbers, not %d", count[at], columns))
  }
  text <- matrix(tokens$text, columns)
  unknown <- text[3L, ] == "?"
  text[3L, unknown] <- "0"
  bad <- matrix(!is_decimal(text), columns)
  bad[3L, ] <- !(text[3L, ] %in% c("0", "1"))
  value <- matrix(NA_real_, columns, ncol(text))
  value[!bad] <- as.double(text[!bad])
  if (any(bad <- bad | !is.finite(value))) {
    at <- which(bad)[1L] - 1L
    abort_line(line[at %/% columns + 1L], if (at %% columns == 2L) {
      "the class is not 0, 1 or ?"
    } else {
      sprintf("the value %d is not a finite number", at %% columns + 1L)
    }, text[at + 1L])
  }
  list(
    x = t(value[-(1:3), , drop = FALSE]), y = ifelse(unknown, NA, 2 * value[3L, ] - 1),
    block = value[1L, ], example = value[2L, ]
  )
}

#' @rdname read_data
#' @export
read_census <- function(file, income, threshold, schema, missing = list()) {
  if (!is.character(income) || length(income) != 1L || is.na(income)) {
    abort("argument", "`income` must be the name of a column.", argument = "income")
  }
  check_number(threshold, "threshold")
  check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  if (!is.list(missing) || (length(missing) && is.null(names(missing)))) {
    abort("argument", "`missing` must be a list with names of columns.", argument = "missing")
  }
  table <- read_table(read_bytes(check_file_name(file)), c(income, names(schema), names(missing)))
  for (name in names(missing)) {
    table <- table[!(table[[name]] %in% as.character(missing[[name]])), , drop = FALSE]
  }
  if (nrow(table) == 0L) abort("parse", "`file` holds no complete records.", argument = "file")
  money <- column_numbers(table, income)
  blocks <- lapply(names(schema), function(name) {
    declared <- schema[[name]]
    if (is.numeric(declared)) {
      value <- pmin(pmax(column_numbers(table, name), declared[1L]), declared[2L])
      return(list(at = 1L, value = (value - declared[1L]) / diff(declared), names = name))
    }
    code <- factor(table[[name]], levels = declared)
    if (anyNA(code)) {
      at <- which(is.na(code))[1L]
      abort("level", sprintf(
        "Line %d of `file`: `%s` is \"%s\", which the schema does not have.",
        table$.line[at], name, table[[name]][at]
      ), argument = "schema", value = table[[name]][at], place = table$.line[at])
    }
    category_block(code, name)
  })
  list(x = bind_blocks(blocks, nrow(table)), y = ifelse(money > threshold, 1, -1))
}

#' Some columns of a CSV file with a header, as text, and `.line`, where each record stands.
#' @noRd
read_table <- function(bytes, columns) {
  if (any(bytes == as.raw(0))) abort("parse", "`file` has a zero byte.", argument = "file")
  text <- sub("^\xef\xbb\xbf", "", rawToChar(bytes), useBytes = TRUE) # a byte order mark
  lines <- strsplit(text, "\r?\n", useBytes = TRUE)[[1L]]
  number <- which(nzchar(trim_blanks(lines)))
  if (length(number) == 0L) abort("parse", "`file` has no header.", argument = "file")
  # No quoted line breaks: a record is a line. Plain fields are most of any extract.
  fields <- strsplit(paste0(lines[number], ","), ",", fixed = TRUE, useBytes = TRUE)
  quoted <- grep("\"", lines[number], fixed = TRUE, useBytes = TRUE)
  fields[quoted] <- lapply(quoted, function(k) {
    if (!validUTF8(lines[number[k]])) abort_line(number[k], "it is not UTF-8")
    tryCatch(
      scan(text = lines[number[k]], what = "", sep = ",", quote = "\"", quiet = TRUE),
      warning = function(e) abort_line(number[k], "a quotation mark is not closed")
    )
  })
  header <- fields[[1L]]
  if (length(lost <- setdiff(columns, header))) {
    abort("argument", sprintf("`file` has no column `%s`.", lost[1L]),
      argument = "file", value = lost[1L]
    )
  }
  if (anyDuplicated(header[header %in% columns])) {
    abort("parse", "A column that is asked for appears twice in the header.",
      argument = "file", place = number[1L]
    )
  }
  if (any(bad <- lengths(fields) != length(header))) {
    at <- which(bad)[1L]
    abort_line(number[at], sprintf(
      "it has %d fields, and the header %d", length(fields[[at]]), length(header)
    ))
  }
  table <- lapply(match(columns, header), function(j) {
    text <- trim_blanks(vapply(fields[-1L], `[`, "", j))
    if (any(foreign <- !validUTF8(text))) {
      at <- which(foreign)[1L]
      abort_line(number[-1L][at], sprintf("`%s` is not UTF-8", header[j]), text[at])
    }
    text
  })
  names(table) <- columns
  data.frame(c(table[!duplicated(columns)], list(.line = number[-1L])), check.names = FALSE)
}

#' A column as finite numbers.
#' @noRd
column_numbers <- function(table, name) {
  text <- table[[name]]
  ok <- is_decimal(text)
  value <- rep(NA_real_, length(text))
  value[ok] <- as.double(text[ok])
  if (any(bad <- !is.finite(value))) {
    at <- which(bad)[1L]
    abort_line(table$.line[at], sprintf("`%s` is not a finite number", name), text[at])
  }
  value
}
