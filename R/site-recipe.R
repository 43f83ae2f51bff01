# A plan as text, for sites: what it was asked for, not what came of it. Each site makes the plan
# from it with its own code, so its noise, its events and its statement are never the hub's word.
# Values are of a few kinds, each with how it is written and read; nothing in a text is ever run.

#' The text of a plan.
#' @noRd
plan_recipe <- function(plan) {
  if (is.null(plan$asked)) {
    abort("plan", "Sites need a plan made by dpadmm_plan(): of a formula and public columns.",
      argument = "plan"
    )
  }
  asked <- plan$asked
  if (!inherits(asked$x, "formula")) {
    abort("plan", "Sites need the plan of a formula: their columns have names.",
      argument = "plan"
    )
  }
  jsonlite::toJSON(recipe_value(asked, "plan"), auto_unbox = TRUE, null = "null")
}

#' The plan of a text that anybody may have written; an error of class "plan" where it is none.
#' @param text of plan_recipe().
#' @noRd
recipe_plan <- function(text) {
  # a plan is public, and so is all that is wrong with it
  refuse <- function(e) {
    if (!inherits(e, "dpadmm_error")) abort("plan", "The plan cannot be read.", argument = "plan")
    if (!inherits(e, paste0("dpadmm_error_", .kinds_of_records))) stop(e)
    abort("plan", conditionMessage(e), argument = e$argument)
  }
  asked <- tryCatch(
    recipe_read(jsonlite::fromJSON(text, simplifyVector = FALSE)), error = refuse, warning = refuse
  )
  known <- c(names(formals(dpadmm_plan.formula)), names(formals(dpadmm_plan.default)))
  named <- is.list(asked) && all(names(asked) %in% setdiff(known, "...")) &&
    !anyDuplicated(names(asked)) && inherits(asked$x, "formula")
  if (!named) abort("plan", "The plan has other parts than a plan's.", argument = "plan")
  tryCatch(suppressWarnings(do.call(dpadmm_plan.formula, asked)), error = refuse)
}

# ---- values ------------------------------------------------------------------------------

#' How values are told apart, written and read, by kind.
#' @noRd
recipe_kinds <- function() {
  list(
    formula = list(
      is = function(x) inherits(x, "formula"), write = call_words, read = read_formula
    ),
    schema = object_kind("dpadmm_schema",
      function(x) list(columns = unclass(x)[names(x)], impute = attr(x, "impute")),
      function(v) do.call(dpadmm_schema, c(v$columns, list(impute = v$impute)))
    ),
    loss = object_kind("dpadmm_loss", function(x) x[c("name", if (x$width > 0) "width")],
      function(v) do.call(dpadmm_loss, v)
    ),
    method = object_kind("dpadmm_method", function(x) {
      list(name = x$name, parameters = Filter(Negate(is.null), x$parameters))
    }, read_method),
    network = object_kind("dpadmm_network",
      function(x) unclass(x)[c("name", "n", "edges", "names")], read_network
    ),
    penalty = object_kind("dpadmm_penalty", function(x) list(x$name, x$parameters), read_penalty),
    secure = object_kind("dpadmm_secure_sum",
      function(x) Filter(Negate(is.null), x[c("honest", "failures")]),
      function(v) do.call(secure_sum, as.list(v))
    ),
    noise = object_kind("dpadmm_noise", function(x) list(x$mechanism, x$scale), read_noise),
    control = object_kind("dpadmm_control",
      function(x) Filter(Negate(is.null), x[c("tol", "start", "row_bound", "accountant")]),
      function(v) do.call(dpadmm_control, v)
    )
  )
}

object_kind <- function(class, write, read) {
  list(is = function(x) inherits(x, class), read = function(v) read(recipe_read(v)),
    write = function(x) recipe_value(write(x), class))
}

#' A value as what JSON can hold. Numbers are text of 17 digits: the same double everywhere.
#' @noRd
recipe_value <- function(x, name) {
  if (is.null(x)) return(list(kind = "null"))
  kinds <- recipe_kinds()
  found <- names(Filter(function(kind) kind$is(x), kinds))
  if (length(found)) return(list(kind = found[1L], value = kinds[[found[1L]]]$write(x)))
  if (is.list(x) && !is.object(x)) {
    return(list(kind = "list", names = as.list(names(x)),
      value = unname(lapply(x, recipe_value, name = name))))
  }
  if (is.object(x) || !(is.numeric(x) || is.character(x) || is.logical(x))) {
    abort("plan", sprintf("Sites cannot be sent %s, as `%s` of the plan has.", kind_of(x), name),
      argument = name
    )
  }
  text <- if (is.numeric(x)) sprintf("%.17g", x) else as.character(x)
  list(
    kind = if (is.numeric(x)) "number" else typeof(x), names = as.list(names(x)),
    dim = as.list(dim(x)), value = as.list(text)
  )
}

recipe_read <- function(v) {
  kind <- v$kind
  if (identical(kind, "null")) return(NULL)
  kinds <- recipe_kinds()
  if (kind %in% names(kinds)) return(kinds[[kind]]$read(v$value))
  if (kind == "list") {
    x <- lapply(v$value, recipe_read)
  } else {
    text <- vapply(v$value, identity, "")
    x <- switch(kind,
      number = as.double(text), character = text, logical = as.logical(text),
      stop("no such kind")
    )
    if (length(v$dim)) dim(x) <- as.integer(unlist(v$dim))
  }
  if (length(v$names)) names(x) <- vapply(v$names, identity, "")
  x
}

#' The settings that a method was made with.
#' @noRd
read_method <- function(v) {
  make <- methods_table()[[check_choice(v$name, names(methods_table()), "method")]]
  do.call(make, as.list(v$parameters))
}

read_network <- function(v) {
  if (is.null(v$edges)) return(check_network_size(check_network(v$name), v$n))
  n <- check_number(v$n, "n", lower = 2, upper = 1e6, whole = TRUE)
  check_numbers(v$edges, "edges", lower = 1, upper = n, whole = TRUE)
  A <- Matrix::sparseMatrix(v$edges[, 1L], v$edges[, 2L], x = 1, dims = c(n, n), symmetric = FALSE)
  A <- A + Matrix::t(A)
  dimnames(A) <- if (!is.null(v$names)) list(v$names, v$names)
  network_adjacency(A)
}

check_network_size <- function(network, n) {
  if (!is.null(n)) network$n <- check_size(n)
  network
}

read_penalty <- function(v) {
  made <- list(
    none = penalty_none, l1 = penalty_l1, l2 = penalty_l2, elastic_net = penalty_elastic_net,
    box = penalty_box
  )
  do.call(made[[check_choice(v[[1L]], names(made), "penalty")]], as.list(v[[2L]]))
}

read_noise <- function(v) {
  check_choice(v[[1L]], c("gaussian", "gamma"), "noise")
  if (v[[1L]] == "gaussian") gaussian_noise(v[[2L]]) else gamma_noise(v[[2L]])
}

#' What a party of a plan is to do, for comparison: two machines work out the same but for the
#' last digits.
#' @noRd
party_orders <- function(plan, party) {
  orders <- run_orders(plan)
  orders <- orders[!names(orders) %in% c("network", "A", "inverse")]
  c(list(rule = all_rules(plan)), lapply(orders, function(x) {
    by_party <- is.matrix(x) && nrow(x) == plan$problem$N
    if (by_party) x[party, ] else x
  }))
}
