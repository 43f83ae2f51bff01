# Records in a file as an object, and as the records of a fit.

#' @noRd
new_records <- function(store, keep) {
  owner <- Sys.getpid()
  own <- .Call(ffi_file_identity, store$path)
  held <- list2env(list(store = store), parent = emptyenv())
  reg.finalizer(held, function(held) {
    if (keep || Sys.getpid() != owner) return(NULL)
    # another one may have its name by now
    if (!identical(.Call(ffi_file_identity, held$store$path), own)) return(NULL)
    if (.Platform$OS.type == "windows") .Call(ffi_file_unmap, held$store$map)
    unlink(held$store$path, expand = FALSE) # it is unmapped with the last that uses it
  }, onexit = TRUE)
  facts <- store$facts
  structure(list(
    held = held, path = store$path, keep = keep, blueprint = facts$blueprint,
    schema = facts$schema, nodes = facts$nodes, sizes = facts$sizes, kind = facts$kind
  ), class = "dpadmm_records")
}

#' The store of records; what was saved with a session is no more.
#' @noRd
records_store <- function(records) {
  store <- records$held$store
  if (is.null(store) || is.na(.Call(ffi_file_passed, store$map))) {
    abort("argument", sprintf(
      'The records are of another session: open them again by their file, "%s", if it was kept.',
      records$path
    ), argument = "x")
  }
  check_not_cut(store)
}

#' What a kept file is asked for that it knows.
#' @noRd
refuse_for_kept <- function(given) {
  if (length(given) == 0L) return(invisible())
  abort("argument", sprintf("`%s` of a kept file is what it was when it was written.", given[1L]),
    argument = given[1L])
}

# ---- records of a fit --------------------------------------------------------------------

#' Records in a file, for a loss and bounds: as records_frame().
#' @noRd
records_file <- function(records, loss, classes, range, rows, row_bound) {
  blueprint <- records$blueprint
  blueprint$rows <- rows
  name <- response_name(blueprint)
  y <- stored_labels(records)
  declared <- records$schema[[name]]
  classes <- declared_classes(classes, schema_classes(declared, y, loss))
  range <- declared_range(range, schema_range(declared, name, loss))
  if (!loss$classification && is.null(range)) abort_no_range(blueprint$response)
  blueprint["classes"] <- list(if (loss$classification) label_classes(y, classes, name)$classes)
  file_rows(records, with_range(blueprint, range), y, loss, row_bound)
}

#' The same for a plan, which must be of these columns.
#' @noRd
records_file_planned <- function(records, blueprint, loss) {
  if (!is_of_records(blueprint, records)) {
    abort("plan", "The plan is not of the columns of these records.", argument = "data")
  }
  y <- stored_labels(records)
  if (loss$classification) {
    blueprint$classes <- label_classes(y, blueprint$classes, response_name(blueprint))$classes
  }
  file_rows(records, blueprint, y, loss, blueprint$row_bound)
}

file_rows <- function(records, blueprint, y, loss, row_bound) {
  store <- records_store(records)
  blueprint <- with_row_bound(blueprint, row_bound)
  label <- tryCatch(
    encode_labels(y, loss, length(y), blueprint$classes, response_name(blueprint)),
    dpadmm_error_labels = function(e) stop(of_holder(e, records))
  )
  out <- list(
    x = stored_model_rows(blueprint, store, length(y)),
    y = scale_response(label$y, blueprint$range), leaks = NULL, blueprint = blueprint,
    weight = store_vector(store, "weight")
  )
  with_offset(out, store_vector(store, "offset"), loss)
}

stored_model_rows <- function(blueprint, store, n) {
  new_rows(list(kind = "file", factor = blueprint$factor, d = blueprint$d), store, n)
}

#' Whether a plan is of the columns that a file has.
#' @noRd
is_of_records <- function(blueprint, records) {
  same <- c("columns", "variables", "response", "weights", "offset", "na_action")
  identical(blueprint[same], records$blueprint[same])
}

#' Labels as they came.
#' @noRd
stored_labels <- function(records) {
  y <- store_vector(records_store(records), "y")
  switch(records$kind,
    levels = structure(as.integer(y), levels = records$schema[[response_name(records$blueprint)]],
      class = "factor"),
    logical = y == 1, numeric = y
  )
}

#' An error of a record by its place in the file, where holders come one after another, as one of
#' the holder's own records, which are in the order they came in.
#' @noRd
of_holder <- function(e, records) {
  k <- e$place
  if (!is.numeric(k) || !is.character(records$nodes)) return(e)
  nodes <- stored_nodes(records)
  own <- as.character(nodes[k])
  e$place <- list(node = own, record = as.double(sum(nodes[seq_len(k)] == own)))
  e$message <- sub(sprintf("at position %d", k), sprintf(
    "at record %.0f of node \"%s\"", e$place$record, own
  ), conditionMessage(e), fixed = TRUE)
  e
}

#' Who holds which record, as `nodes` says it of a data frame.
#' @noRd
stored_nodes <- function(records) {
  if (!is.character(records$nodes)) return(records$nodes)
  structure(rep(seq_along(records$sizes), records$sizes), levels = names(records$sizes),
    class = "factor")
}

# ---- methods -----------------------------------------------------------------------------

#' @rdname dpadmm_records
#' @export
dim.dpadmm_records <- function(x) c(as.integer(sum(x$sizes)), x$blueprint$d)

#' @rdname dpadmm_records
#' @export
print.dpadmm_records <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("<dpadmm_records: %d records of %d columns, %s>\n", nrow(x), ncol(x),
    file_words(file.size(x$path))))
  cat(sprintf("  %s%s\n", x$path, if (x$keep) "" else " (removed with this object)"))
  cat(sprintf("  %s\n", deparse(blueprint_formula(x$blueprint), 500L)), sep = "")
  if (length(x$sizes) > 1L) cat(sprintf("  %d nodes\n", length(x$sizes)))
  invisible(x)
}

file_words <- function(bytes) {
  if (is.na(bytes)) return("whose file is gone")
  format(structure(bytes, class = "object_size"), units = "auto", standard = "SI")
}

#' @rdname dpadmm_records
#' @export
summary.dpadmm_records <- function(object, ...) {
  check_no_dots(...)
  where <- records_store(object)$facts$where
  structure(list(
    records = nrow(object), columns = object$blueprint$columns, sizes = object$sizes,
    sparse = !is.null(where$row), stored = where$stored, bytes = file.size(object$path),
    path = object$path, keep = object$keep, schema = object$schema,
    words = record_words(object$blueprint)
  ), class = "summary.dpadmm_records")
}

#' @export
print.summary.dpadmm_records <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("%d records of %d columns, %s: %.0f numbers, %s\n", x$records, length(x$columns),
    if (x$sparse) "sparse" else "dense", x$stored, file_words(x$bytes)))
  cat(sprintf("%s%s\n", x$path, if (x$keep) "" else " (removed with the object)"))
  if (length(x$sizes) > 1L) {
    names <- if (is.null(names(x$sizes))) seq_along(x$sizes) else names(x$sizes)
    sizes <- toString(sprintf("%s (%d)", names, x$sizes), 200L)
    cat(sprintf("%d nodes: %s\n", length(names), sizes))
  }
  cat(sprintf("%s\n", x$words), sep = "")
  print(x$schema)
  invisible(x)
}
