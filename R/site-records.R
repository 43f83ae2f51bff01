# Records at a site. Whatever they hold, there is no error: an error that a record makes is a
# release without noise. Numbers are set to the nearer bound, what is missing or not of the
# declared kind is missing, and a record with something missing counts with weight 0 or has the
# public value that the policy puts in its place.

#' The columns of a policy, each as the policy says.
#' @param data the holder's data frame.
#' @noRd
site_columns <- function(data, schema) {
  columns <- lapply(stats::setNames(nm = names(schema)), function(name) {
    v <- plain_numbers(data[[name]], name)
    if (is.factor(v)) v <- as.character(v)
    if (is.character(v)) v <- utf8_text(v)
    declared <- schema[[name]]
    if (is.character(declared)) return(cell_levels(v, declared))
    v <- cell_numbers(v)
    v[!is.finite(v)] <- NA
    pmin(pmax(v, declared[1L]), declared[2L])
  })
  list2DF(columns, nrow(data))
}

#' UTF-8, in whatever locale; bytes that are none are taken for Latin-1.
#' @noRd
utf8_text <- function(text) {
  latin <- Encoding(text) == "latin1" | !validUTF8(text)
  text[latin] <- iconv(text[latin], "latin1", "UTF-8")
  Encoding(text) <- "UTF-8"
  text
}

#' Each cell for itself: a number, or 1 and 0 for TRUE and FALSE.
#' @noRd
cell_numbers <- function(v) {
  x <- suppressWarnings(as.double(v))
  odd <- which(is.na(x) & !is.na(v))
  x[odd] <- as.double(as.logical(v[odd]))
  x
}

#' Each cell for itself: a level as it is written, or written as R would: 1 for 1.0 and TRUE for T.
#' R writes 100000 in two ways, as an integer and as a double; which of them a column has hangs on
#' all of its cells, so that either will do.
#' @noRd
cell_levels <- function(v, levels) {
  long <- function(x) ifelse(is.na(x), NA_character_, sprintf("%.15g", x))
  v <- if (is.numeric(v)) long(as.double(v)) else as.character(v)
  odd <- which(!v %in% levels & !is.na(v))
  number <- suppressWarnings(as.double(v[odd]))
  short <- as.character(number)
  number <- ifelse(short %in% levels, short, long(number))
  v[odd] <- ifelse(is.na(number), as.character(as.logical(v[odd])), number)
  v[!v %in% levels] <- NA
  v
}

#' The records of a plan.
#' @param data of site_columns(), or a file of records.
#' @param counted which records count, see counted_records(); `NULL`: all.
#' @return as records_planned(), and always with weights.
#' @noRd
site_records <- function(plan, data, counted = NULL) {
  loss <- plan$problem$loss
  blueprint <- site_blueprint(plan$problem$blueprint, loss)
  parts <- if (inherits(data, "dpadmm_records")) {
    stored_parts(blueprint, data, loss)
  } else {
    frame_parts(blueprint, data, loss, counted)
  }
  whole <- parts$whole
  label <- parts$label
  label[!whole] <- if (loss$classification) 1 else 0
  y <- if (loss$classification) label else scale_response(label, blueprint$range)
  weight <- parts$weight
  if (!is.null(weight)) weight[!whole] <- 0
  records <- list(
    x = parts$x, y = y, weight = if (is.null(weight)) as.double(whole) else weight,
    blueprint = blueprint
  )
  offset <- parts$offset
  if (is.null(offset)) return(records)
  offset[!whole] <- 0
  if (loss$classification) {
    records$offset <- offset
  } else {
    shifted <- y - offset / response_unit(blueprint)
    records$y <- ifelse(is.finite(shifted), shifted, 0)
    records$weight[!is.finite(shifted)] <- 0
  }
  records
}

#' Rows, labels, weights (over their bound) and offsets, and which records are whole.
#' @noRd
frame_parts <- function(blueprint, data, loss, counted) {
  n <- nrow(data)
  env <- site_functions()
  value <- function(call) as_of_records(suppressWarnings(eval(call, data, env)), n)
  variables <- lapply(as.list(attr(blueprint$terms, "predvars"))[-1L], value)
  names(variables) <- variable_names(blueprint$terms)
  label <- site_labels(value(blueprint$response), loss, blueprint$classes)
  number <- function(call) if (!is.null(call)) as.double(value(call))
  weight <- number(blueprint$weights$call)
  offset <- number(blueprint$offset$call)

  imputed <- imputed_names(blueprint$variables)
  needed <- c(variables[setdiff(names(variables), imputed)], list(label, weight, offset))
  whole <- !Reduce(`|`, Filter(length, lapply(needed, is.na)))
  if (!is.null(counted)) whole <- whole & counted
  for (name in names(variables)) {
    variables[[name]] <- site_variable(variables[[name]], blueprint$variables[[name]],
      name %in% imputed
    )
  }
  if (!is.null(weight)) {
    weight <- pmin(pmax(weight, 0), blueprint$weights$bound) / blueprint$weights$bound
  }
  list(
    x = frame_rows(blueprint, list2DF(variables, n)), label = label, weight = weight,
    offset = offset, whole = whole
  )
}

#' The same of a file, whose rows are encoded as the plan says, see check_site_file().
#' @noRd
stored_parts <- function(blueprint, records, loss) {
  store <- records_store(records)
  label <- site_labels(stored_labels(records), loss, blueprint$classes)
  list(
    x = stored_model_rows(blueprint, store, length(label)), label = label,
    weight = store_vector(store, "weight"), offset = store_vector(store, "offset"),
    whole = !is.na(label)
  )
}

#' A computed variable: one value a record; what is not finite is missing.
#' @noRd
as_of_records <- function(v, n) {
  v <- if (is.character(v)) v else if (is.logical(v)) v else as.double(v)
  v <- rep_len(v, n)
  if (is.double(v)) v[!is.finite(v)] <- NA
  v
}

#' A variable as its blueprint describes it: what it is not is missing, and where a record may
#' have nothing missing, what is public takes its place (the record counts nothing).
#' @noRd
site_variable <- function(v, how, imputed) {
  if (how$type == "levels") {
    v <- as.character(v)
    v[!v %in% how$values] <- NA
  } else {
    v <- as.double(v)
  }
  if (!imputed) v[is.na(v)] <- how$values[1L]
  v
}

#' -1 and 1, numbers, or NA.
#' @noRd
site_labels <- function(y, loss, classes) {
  if (!loss$classification) return(as.double(y))
  if (is.character(classes)) y <- as.character(y)
  if (is.numeric(classes) && is.logical(y)) y <- as.double(y)
  if (is.logical(classes) && !is.logical(y)) y <- as.logical(y)
  label_codes(y, classes)
}

#' A plan's blueprint with the two classes settled that its schema leaves to the type of labels.
#' @noRd
site_blueprint <- function(blueprint, loss) {
  if (loss$classification && is.null(blueprint$classes)) {
    blueprint$classes <- if (is.name(blueprint$response)) .numeric_classes else c(FALSE, TRUE)
  }
  blueprint
}
