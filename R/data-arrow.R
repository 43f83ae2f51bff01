# Records of Arrow: record batches, tables, data sets and files.

#' @param needed names of the columns that are read.
#' @noRd
arrow_source <- function(source, needed) {
  need_package("arrow", "records of Arrow")
  reader <- if (inherits(source, "RecordBatchReader")) source
    else tryCatch(arrow_reader(source, needed), error = abort_arrow)
  new_source(function() {
    tryCatch({
      batch <- reader$read_next_batch()
      if (!is.null(batch)) arrow_frame(batch, needed)
    }, error = function(e) stop_chunk(arrow_words(e)))
  })
}

arrow_words <- function(e) sub("[.]$", "", conditionMessage(e))

abort_arrow <- function(e) {
  if (inherits(e, "dpadmm_error")) stop(e)
  abort("parse", sprintf("Arrow cannot read `source`: %s.", arrow_words(e)),
    argument = "source", parent = e)
}

arrow_dataset <- function(path) {
  need_package("arrow", "Parquet and Arrow files")
  format <- if (tolower(tools::file_ext(path)) == "parquet") "parquet" else "arrow"
  tryCatch(arrow::open_dataset(path, format = format), error = abort_arrow)
}

#' The needed columns of a table or a data set, which are few of a wide one.
#' @noRd
arrow_reader <- function(data, needed) {
  if (!inherits(data, "Dataset")) return(arrow::as_record_batch_reader(data))
  check_arrow_files(data, needed)
  there <- intersect(needed, names(data))
  if (length(there) == 0L) return(arrow::as_record_batch_reader(data))
  arrow::Scanner$create(data, projection = there)$ToRecordBatchReader()
}

#' A batch or a table of Arrow as a data frame of vectors of R: Arrow's own tell their errors when
#' they are first read.
#' @param needed names of columns; all of them where none of these is there.
#' @noRd
arrow_frame <- function(batch, needed = NULL) {
  before <- options(arrow.use_altrep = FALSE)
  on.exit(options(before))
  there <- intersect(needed, names(batch))
  as.data.frame(if (length(there)) batch[, there] else batch)
}

#' Arrow takes what a file does not have for missing, and casts the columns of others to the types
#' of the first.
#' @noRd
check_arrow_files <- function(data, needed) {
  files <- if (inherits(data, "FileSystemDataset")) data$files
  if (length(files) < 2L) return(invisible())
  kinds <- vapply(files, function(file) {
    own <- arrow::dataset_factory(file, data$filesystem, data$format)$Inspect()
    vapply(needed, function(name) arrow_kind(own$GetFieldByName(name)), "")
  }, character(length(needed)))
  kinds <- matrix(kinds, length(needed))
  for (k in seq_along(needed)) {
    own <- kinds[k, ]
    if (all(own == "")) next # it tells parts of the data set apart, or there is none
    other <- which(own != own[own != "" & own != "null"][1L] & own != "null")
    if (length(other) == 0L) next
    lost <- own[other[1L]] == ""
    abort(if (lost) "shape" else "argument", sprintf("The file \"%s\" of `source` has %s `%s`%s.",
      files[other[1L]], if (lost) "no column" else "another type of", needed[k],
      if (lost) "" else " than the first"
    ), argument = needed[k], place = list(file = files[other[1L]], column = needed[k]))
  }
}

#' What values of a field are: numbers of all types are alike.
#' @noRd
arrow_kind <- function(field) {
  if (is.null(field)) return("")
  type <- field$type$ToString()
  if (grepl("^(u?int|float|double|half_?float|decimal)", type)) return("number")
  if (grepl("^(large_)?string|^dictionary<values=(large_)?string", type)) return("text")
  sub("\\[.*", "", type)
}
