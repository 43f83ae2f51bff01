# Rows of a model that are not there yet: what the user holds, and the blueprint by which it becomes
# rows. They are made a few at a time, where they are to lie, so that no second copy is needed.

# Numbers that are made at a time: some megabytes, which stay in the cache.
.at_once <- 2^18
# Entries of rows, which take several vectors each while they are made.
.entries_at_once <- 2^15

#' @param source a matrix (blueprint of kind "matrix"), the variables of a formula ("frame"), rows
#'   that are ready but for the factor ("ready"), or rows in a file ("file").
#' @noRd
new_rows <- function(blueprint, source, n = nrow(source)) {
  structure(list(blueprint = blueprint, source = source, n = n), class = "dpadmm_rows")
}

#' @export
dim.dpadmm_rows <- function(x) c(as.integer(x$n), as.integer(x$blueprint$d))

#' A matrix as the rows of its model: itself, where there is no intercept and it may be read as it
#' lies.
#' @param left flags of rows that are 0, or `NULL`.
#' @noRd
matrix_rows <- function(blueprint, x, left = NULL) {
  if (!blueprint$intercept && is_passable(x, left)) return(x)
  rows <- new_rows(blueprint, x)
  rows$dropped <- left
  rows
}

#' Variables of a formula as rows, once it is sure that they can be.
#' @noRd
frame_rows <- function(blueprint, variables) {
  check_variables(blueprint, variables)
  new_rows(blueprint, variables, nrow(variables))
}

#' Rows some of which are another one's: of columns as the user holds them, so that copies with the
#' other's values can go. What is computed of these stays.
#' @param whole of stand_in().
#' @noRd
stood_rows <- function(x, whole) {
  held <- whole$held
  if (is.null(held)) return(x)
  for (name in intersect(names(x$source), names(held))) {
    alike <- function(what) identical(what(x$source[[name]]), what(held[[name]]))
    if (alike(typeof) && alike(attributes)) x$source[[name]] <- held[[name]]
  }
  x[c("dropped", "whole")] <- list(whole$dropped, which(!whole$dropped)[1L])
  x
}

#' Rows of the source; `NULL`: all.
#' @noRd
source_rows <- function(x, rows = NULL) {
  if (!is.data.frame(x$source) && !is_passable(x$source, x$dropped)) {
    return(packed_rows(x$source, if (is.null(rows)) seq_len(x$n) else rows, x$dropped))
  }
  if (is.null(x$dropped)) return(if (is.null(rows)) x$source else take_source(x$source, rows))
  if (is.null(rows)) rows <- seq_len(x$n)
  rows[x$dropped[rows]] <- x$whole
  take_source(x$source, rows)
}

#' All rows as a matrix.
#' @noRd
model_matrix <- function(x) {
  if (!inherits(x, "dpadmm_rows")) return(x)
  made_rows(x) * x$blueprint$factor
}

#' The same without the factor of all columns.
#' @noRd
made_rows <- function(x) {
  blueprint <- x$blueprint
  blueprint$factor <- 1
  switch(blueprint$kind,
    matrix = encode_matrix(blueprint, source_rows(x)),
    frame = encode_frame(blueprint, source_rows(x)), ready = x$source, file = read_rows(x$source)
  )
}

#' Some of the rows.
#' @noRd
take_model_rows <- function(x, rows) {
  if (!inherits(x, "dpadmm_rows")) return(x[rows, , drop = FALSE])
  if (x$blueprint$kind == "file") {
    x$source <- made_rows(x)
    x$blueprint$kind <- "ready"
  }
  source <- source_rows(x, rows)
  if (x$blueprint$kind == "matrix") return(matrix_rows(x$blueprint, source))
  new_rows(x$blueprint, source, length(rows))
}

take_source <- function(source, rows) {
  if (!is.data.frame(source)) return(source[rows, , drop = FALSE])
  list2DF(lapply(source, take_rows, rows), length(rows))
}

# ---- for the core ------------------------------------------------------------------------

#' What the core is handed for these rows.
#' @param order the records in the order of their holders; `NULL`: as they are.
#' @param in_place whether a matrix may be read as it lies, see ffi_records.h.
#' @noRd
core_rows <- function(x, order = NULL, in_place = FALSE) {
  if (!inherits(x, "dpadmm_rows")) {
    if (in_place && methods::is(x, "dgCMatrix")) x <- Matrix::t(x)
    return(list(x = matrix_slots(x), layout = if (in_place) "in_place" else "packed"))
  }
  blueprint <- x$blueprint
  rows <- switch(blueprint$kind,
    matrix = if (in_place && is_by_row(x$source) && !blueprint$intercept) {
      list(x = transpose_slots(x$source), layout = "in_place")
    } else list(
      x = matrix_slots(x$source), layout = "packed", left = x$dropped,
      first = if (blueprint$intercept) blueprint$row_bound,
      before = if (blueprint$intercept && blueprint$rows == "shorten") blueprint$row_bound
    ),
    ready = list(x = matrix_slots(x$source), layout = "packed"),
    frame = transposed_rows(x, order),
    file = list(x = stored_rows(x$source, order), layout = "rows")
  )
  c(rows, list(factor = blueprint$factor))
}

#' Rows of variables, made in their order: list(x, layout).
#' @noRd
transposed_rows <- function(x, order = NULL) {
  blueprint <- x$blueprint
  blueprint$factor <- 1
  by_entries <- has_entries(blueprint)
  if (!is.null(x$dropped)) gc() # there were copies, see stood_rows()
  store <- NULL
  put <- function(rows) {
    variables <- source_rows(x, if (is.null(order)) rows else order[rows])
    make <- if (by_entries) row_entries else design_matrix
    made <- make(blueprint, variables)
    if (is.null(store)) {
      store <<- store_of_rows(made, length(rows), x$n, blueprint$d, !has_levels(blueprint))
    }
    store$put(made, rows)
    NULL
  }
  each <- if (by_entries) length(unique(blueprint$assign)) else blueprint$d
  blocks <- row_blocks(x$n, each, .entries_at_once)
  for (k in seq_along(blocks)) {
    put(blocks[[k]])
    # left to itself R lets garbage grow with what is held, to half of it and more; of a block
    # nothing is in use by now, so that no part of it is kept for later
    if (k %% 2L == 0L) gc(full = FALSE)
  }
  store$end()
}

#' Numbers of rows, in blocks that are made together.
#' @noRd
row_blocks <- function(n, d, at_once = .at_once) {
  size <- max(256, at_once %/% d)
  first <- seq(1, n, by = size)
  Map(seq, first, pmin(first + size - 1, n))
}
