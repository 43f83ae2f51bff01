#' Records in a file, for data larger than memory
#'
#' Reads records once, chunk by chunk, from a data base, files or a function, encodes them as
#' [dpadmm_fit()] does and keeps them in one private file. A fit then goes over that file, of which
#' only a few megabytes are in memory at a time, and gives the same numbers to the last bit as one
#' of the same data in a data frame.
#'
#' What is public must be stated: a chunk does not know the range of all. `schema` has bounds or
#' levels of every variable of the formula, and of the response its two levels, or bounds for a
#' regression loss. Labels that are numbers (-1 or 0, and 1) or logical need nothing.
#'
#' Rows are in the file in the order of their `nodes`, if that is a column: as one holder's they
#' give the numbers of a data frame in that order. With a number of nodes each fit splits them anew
#' and copies them in its order to a second file, which goes with it.
#'
#' @param source where the records come from:
#'   * a function as `bigglm()` of package biglm has it: `source(reset = TRUE)` begins anew, and
#'     `source(reset = FALSE)` answers the next data frame, or `NULL` at the end;
#'   * a connection of package DBI (RSQLite and others), with `query`. That of duckdb has the whole
#'     result in memory; a reader that has not is
#'     `duckdb::duckdb_fetch_record_batch(DBI::dbSendQuery(connection, query, arrow = TRUE))`;
#'   * a `RecordBatchReader`, a `Dataset` or a `Table` of package arrow. Files of a data set must
#'     all have the columns that are needed, of one type;
#'   * the path of a `.csv` file (which may be compressed by gzip, bzip2 or xz), or of a
#'     `.parquet`, `.feather` or `.arrow` file (package arrow);
#'   * the path of a `.libsvm`, `.svm` or `.svmlight` file, see [read_libsvm()]: its label is the
#'     formula's response, feature k the k-th column of `schema` without the response and without
#'     terms (as `log(age)`);
#'   * a data frame;
#'   * or the path of a file that was kept, alone: it is opened again.
#' @param formula,schema,nodes,case_weights,weight_bound,offset,na.action as in [dpadmm_fit()], but
#'   that `nodes` is `~column` or a number, and `case_weights` and `offset` are `~column`. A `.`
#'   stands for the columns of `schema`, in its order, as in [dpadmm_plan()]. Functions and single
#'   values that a term takes from elsewhere are those of packages and of the global environment:
#'   where the call is made there may be data. Terms that read other rows than their own are an
#'   error. Whose records a column has said they are no fit can say anew, but that all are one
#'   holder's (`nodes = NULL`).
#' @param query SQL, with a connection of DBI.
#' @param file path of the file. `NULL`: one in the directory of temporary files.
#' @param keep whether the file stays when the object is gone; it can be opened again by its name.
#'   Else it is removed with the object, or at the end of the session.
#' @param chunk rows to ask a data base or a `.csv` file for at a time. It does not change what
#'   comes out; but the first chunk says of which type a column of text is that the schema does not
#'   declare (labels, what calls in the formula read), and others must be of it.
#' @param cache whether a fit leaves it to the system which of the file's pages are in memory.
#'   `FALSE`: passes over dense rows read them from the disk, past the system's cache, while they
#'   work on those before: better for a file that memory cannot hold, and worse for one that it can.
#'   Where the system or the disk cannot do that, it is as `TRUE`. `NULL`: `FALSE` where the file is
#'   larger than half of the machine's memory. What comes out is the same to the last bit.
#' @param progress whether to show how many bytes have been read (of a function or a data base:
#'   written).
#' @param x,object an object of class `dpadmm_records`.
#' @param ... not used.
#' @return An object of class `dpadmm_records` for [dpadmm_fit()], for [dpadmm_plan()] (which sees
#'   what is public of it: the columns and the numbers of records) and, as the records of such a
#'   plan, for `dpadmm_fit(plan, records)`; with methods `print()`, `summary()` and `dim()`. It is
#'   good in this session only.
#' @section Files:
#' Only its owner can read the file (mode 0600). It holds the encoded records themselves, so it is
#' as confidential as they are; and as with [readRDS()], open none that you do not trust. Numbers
#' are as this machine writes them: another kind of machine refuses the file. A file that is damaged
#' in what it says of all records is refused; of the records' own numbers nothing tells damage.
#' @section Errors:
#' A chunk without a column that is needed, or with two of its name, is an error of class
#' `dpadmm_error_shape`, one with a column of another type (numbers as strings, too, but for files
#' of text) `dpadmm_error_argument`; a string that is no number, a value of a data base that is of
#' another type than the others of its column, or a line with another number of cells
#' `dpadmm_error_parse`; other bad values are those of [dpadmm_fit()]. Each names chunk, row (of a
#' whole chunk the first) and column; they are in its field `place` too. Columns that nothing asks
#' for are not looked at, and which labels that are numbers are classes only a fit knows, by its
#' loss. A file that is none, or was cut short, is `dpadmm_error_parse`, but for plain text, which
#' has no end that could be missing; a full disk is `dpadmm_error_file`, with the chunk and the row
#' it came to, if not all had come. After an error or an interrupt no file is left. All of these
#' tell of records, see [dpadmm-conditions].
#' @seealso [dpadmm_fit()], [dpadmm_schema()], [missing-values].
#' @examples
#' n <- 400
#' patients <- data.frame(age = sample(20:90, n, TRUE), smoker = sample(c("no", "yes"), n, TRUE))
#' patients$ill <- patients$age / 90 + rnorm(n, sd = 0.3) > 0.7
#' file <- tempfile(fileext = ".csv")
#' write.csv(patients, file, row.names = FALSE)
#'
#' public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
#' records <- dpadmm_records(file, ill ~ age + smoker, public, nodes = 4)
#' records
#' fit <- dpadmm_fit(records, epsilon = 5)
#' plan <- dpadmm_plan(records, epsilon = 5)
#'
#' # from a function, a hundred rows at a time
#' next_row <- 1
#' hundred <- function(reset) {
#'   if (reset) return(next_row <<- 1)
#'   if (next_row > n) return(NULL)
#'   rows <- seq(next_row, length.out = 100)
#'   next_row <<- next_row + 100
#'   patients[rows, ]
#' }
#' dim(dpadmm_records(hundred, ill ~ age + smoker, public))
#' @export
dpadmm_records <- function(source, formula, schema, nodes = NULL, file = NULL,
                           keep = !is.null(file), query = NULL, case_weights = NULL,
                           weight_bound = NULL, offset = NULL, na.action = "fail", chunk = 10000,
                           cache = NULL, progress = interactive()) {
  if (!is.null(cache)) check_flag(cache, "cache")
  if (missing(source)) {
    abort("argument", "`source` is missing: where the records come from.", argument = "source")
  }
  alone <- missing(formula) && missing(schema) && is.character(source)
  if (alone && file_kind(source) %in% c("store", "unknown")) {
    given <- setdiff(names(match.call())[-1L], c("source", "cache", "progress"))
    refuse_for_kept(setdiff(given, if (isTRUE(keep)) "keep"))
    return(new_records(open_store(check_file_name(source), cache), keep = TRUE))
  }
  check_flag(keep, "keep")
  check_number(chunk, "chunk", lower = 1, upper = 1e9, whole = TRUE)
  check_flag(progress, "progress")
  options <- public_options(case_weights, weight_bound, offset, na.action)
  for (name in c("case_weights", "offset")) {
    if (isTRUE(options[[name]])) {
      abort("argument", sprintf("`%s` must be ~column.", name), argument = name)
    }
  }
  if (missing(formula) || missing(schema)) {
    abort("argument", "`formula` and `schema` are needed; only a kept file of records has its own.",
      argument = if (missing(formula)) "formula" else "schema"
    )
  }
  nodes <- check_records_nodes(nodes)
  blueprint <- chunk_blueprint(formula, without_nodes(schema, formula, nodes), options)
  target <- store_path(file, keep)
  label <- all.vars(blueprint$response)
  features <- setdiff(Filter(is_column_name, names(schema)), label)
  reader <- chunk_reader(blueprint, schema, if (is.character(nodes)) nodes)
  levels <- names(Filter(is.character, schema))
  chunks <- tryCatch(chunk_source(source, query, chunk, label, features, reader$needed, levels),
    unreadable_chunk = function(e) abort_unreadable(reader, e))
  on.exit(chunks$close())
  path <- write_records(reader, chunks, target, !is.null(file), progress, list(
    blueprint = blueprint, schema = schema, nodes = nodes
  ))
  taken <- file.exists(target) # since it was looked at
  if (taken || !suppressWarnings(file.rename(path, target))) {
    unlink(path, expand = FALSE)
    file_call(if (taken) "there is one by now" else "it cannot be renamed to this", target)
  }
  new_records(open_store(target, cache), keep)
}

#' What `.` stands for in a formula: not whose records they are.
#' @noRd
without_nodes <- function(schema, formula, nodes) {
  dotted <- inherits(formula, "formula") && "." %in% all.vars(formula)
  if (!dotted || !is.character(nodes) || nodes %in% all.vars(formula)) return(schema)
  schema[[nodes]] <- NULL
  schema
}

#' The blueprint of records whose loss is not known yet.
#' @noRd
chunk_blueprint <- function(formula, schema, options) {
  if (!inherits(formula, "formula")) {
    abort("argument", sprintf("`formula` must be a formula, not %s.", kind_of(formula)),
      argument = "formula"
    )
  }
  blueprint <- schema_blueprint(formula, schema, list(classification = TRUE), "scale", options)
  blueprint["classes"] <- list(NULL)
  blueprint
}

#' A number of nodes, the name of a column, or NULL.
#' @noRd
check_records_nodes <- function(nodes) {
  if (is.null(nodes)) return(NULL)
  if (!is.null(column <- holder_column(nodes))) return(column)
  if (!is.numeric(nodes)) {
    abort("argument", "`nodes` of records in a file must be ~column or a number.",
      argument = "nodes"
    )
  }
  check_number(nodes, "nodes", lower = 2, upper = .Machine$integer.max, whole = TRUE)
}

store_path <- function(file, keep) {
  if (is.null(file)) {
    if (keep) {
      abort("argument", "`file` is missing: the name under which records are kept.",
        argument = "file"
      )
    }
    return(tempfile("records-", fileext = ".dpadmm"))
  }
  check_file_name(file)
  if (grepl("[/\\\\]$", file)) {
    abort("argument", sprintf('`file` is a directory, "%s": name a file in it.', file),
      argument = "file", value = file)
  }
  if (file.exists(file)) {
    abort("argument", sprintf('There is a file "%s" already.', file), argument = "file",
      value = file
    )
  }
  if (!dir.exists(dirname(file))) {
    abort("argument", sprintf('There is no directory "%s".', dirname(file)), argument = "file",
      value = file
    )
  }
  file.path(normalizePath(dirname(file)), basename(file)) # wherever a source goes meanwhile
}

#' All chunks, encoded, in a file.
#' @param target where it shall be, once it is finished; in its directory it is written, and what is
#'   not finished is removed.
#' @param named whether that is a name of the user's.
#' @return its path.
#' @noRd
write_records <- function(reader, chunks, target, named, progress, facts) {
  spooled <- tempfile("records-", dirname(target))
  placed <- tempfile("records-", dirname(target))
  done <- NULL
  on.exit(unlink(setdiff(c(spooled, placed), done), expand = FALSE))
  bar <- byte_bar(progress, chunks$total, "Reading")
  on.exit(bar$done(), add = TRUE)
  written <- 0
  add <- function(bytes) {
    written <<- written + bytes
    bar$tick(if (is.null(chunks$done)) written else chunks$done())
  }
  told <- function(code, ...) told_of_records(code, target, named, ...)
  spool <- told(new_spool(spooled, add))
  on.exit(spool$file$drop(), add = TRUE, after = FALSE) # an open file keeps its place on the disk
  numbers <- list()
  repeat {
    data <- next_chunk(reader, chunks)
    if (!is.null(data)) add_chunk(reader, data)
    part <- encode_waiting(reader, all = is.null(data))
    if (!is.null(part)) {
      first <- spool$rows()
      told(part$blocks(spool$put), place = function() {
        list(chunk = part$chunk[spool$rows() - first + 1], row = spool$rows() + 1)
      })
      numbers <- c(numbers, list(part[c("y", "weight", "offset", "node")]))
    }
    if (is.null(data)) break
  }
  if (length(numbers) == 0L) abort("shape", "`source` has no records.", argument = "source")
  done <- told(settle_records(placed, reader, spool, numbers, facts, add), copied = function() {
    if (file.exists(placed)) file.size(spooled)
  })
}

#' What is known at the end: who holds which record, in which order they are stored.
#' @noRd
settle_records <- function(path, reader, spool, numbers, facts, add) {
  of <- function(name) unlist(lapply(numbers, `[[`, name), use.names = FALSE)
  vectors <- list(y = of("y"), weight = whole_weights(numbers), offset = of("offset"))
  n <- length(vectors$y)
  place <- NULL
  kind <- reader$kind
  if (is.null(kind)) { # no row is whole
    label <- response_name(facts$blueprint)
    kind <- if (is.character(facts$schema[[label]])) "levels"
      else if (identical(reader$kinds[[label]], "logical")) "logical" else "numeric"
  }
  facts <- c(facts, list(kind = kind))
  if (is.null(facts$nodes)) {
    facts$sizes <- n
  } else if (is.character(facts$nodes)) {
    held <- nodes_in_order(reader, of("node"))
    size <- tabulate(held$index, length(held$names))
    if (any(size == 0L)) {
      empty <- held$names[size == 0L][1L]
      abort("nodes", sprintf("Node \"%s\" has no records.", empty), argument = "nodes",
        place = empty)
    }
    facts$sizes <- stats::setNames(size, held$names)
    order <- if (is.unsorted(held$index)) order(held$index)
    if (!is.null(order)) {
      vectors <- lapply(vectors, function(v) v[order])
      place <- order(order)
    }
  } else {
    check_number(facts$nodes, "nodes", lower = 2, upper = n)
    facts$sizes <- n %/% facts$nodes + (seq_len(facts$nodes) <= n %% facts$nodes)
  }
  finish_store(path, spool, place, Filter(Negate(is.null), vectors), facts, add)
}

#' Weights of all records, where some part has them: a part without rows left out has none.
#' @noRd
whole_weights <- function(numbers) {
  if (all(vapply(numbers, function(part) is.null(part$weight), NA))) return(NULL)
  unlist(lapply(numbers, function(part) {
    if (is.null(part$weight)) rep(1, length(part$y)) else part$weight
  }), use.names = FALSE)
}
