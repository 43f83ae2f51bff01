#' Plan a private fit without its records
#'
#' Everything that [dpadmm_fit()] settles before it reads a record, as an object to look at: what
#' each data holder will send, how often and how many bytes; the noise; the privacy statement;
#' and what to expect of the result. `dpadmm_fit(plan, data)` then runs exactly this plan; a fit
#' made in one step holds its plan too (`fit$plan`).
#'
#' A plan is made of public numbers: the columns (a formula with a schema that states the
#' bounds or levels of every variable, or a number of columns), how many records each party
#' holds, method, budget and network. No argument could carry a record.
#'
#' @section What to expect:
#' The forecast (`plan$expected`, printed in words) compares, from public numbers alone, the
#' standard deviation that noise gives each coefficient with the signal that such data could
#' carry: `"useful"`, `"weak"` or `"mostly noise"`. It does not know the data: useful says that
#' noise will not be what spoils the model. Records with weights are taken to be at their bound.
#'
#' @param x a formula, a number of columns (without the intercept nothing is added), or the
#'   columns' names; or [dpadmm_records()], which know formula, schema and sizes.
#' @param schema [sites], which are asked for their columns and numbers of records; or see
#'   [dpadmm_schema()]: every variable of the formula, and the response when
#'   it has two classes that are not coded -1 and 1, or `FALSE` and `TRUE`, or is a number.
#' @param sizes number of records of each party: a vector (or a table), whose names are those
#'   of the parties. For [dp_sgd()], [dp_cd()] and [gradient] methods one number is one holder; for
#'   [fp_admm()] each record is then a user.
#' @param nodes `NULL`, or `~column`: where the data will say who holds which record.
#' @param network,method,loss,penalty,C,rho,lambda,weights,iterations,epsilon,delta as in
#'   [dpadmm_fit()].
#' @param noise,control,classes as in [dpadmm_fit()].
#' @param response,intercept,rows as in [dpadmm_fit()]. A formula's regression loss needs the
#'   bounds of the response, here or in `schema`.
#' @param case_weights,weight_bound,offset,na.action as in [dpadmm_fit()], but no numbers of
#'   records: `~column`, or `TRUE` where the fit will be given them.
#' @param per_person see [persons].
#' @param inference whether fits shall have standard errors and intervals, see [intervals].
#' @param aggregation `"plain"`, or `"secure"` or [secure_sum()] for sums of which nobody sees the
#'   parts.
#' @param seed a whole number for repeatable draws of what is random and public (who takes part
#'   in a round, the walk of a model, the order of blocks); `NULL`: from the operating system.
#' @param ... further arguments, as of the method for columns.
#' @return An object of class `dpadmm_plan`, with methods `print()`, `summary()` (who sends
#'   what, settings and expectations), [plot()][plot.dpadmm_plan] (privacy spent over rounds),
#'   `tidy()` (a row for each party and kind of release), [privacy()] and `dpadmm_fit()`. It is
#'   a list with, among others, `problem` (the public facts), `iterations`, `rule` (by
#'   iteration), `eta` and `theta` (parties x iterations, decentralised methods), `releases`,
#'   `noise`, `events` and `expected`.
#'
#'   Errors are classed, see [dpadmm-conditions]; `dpadmm_error_plan` when data do not fit a
#'   plan, before anything is released.
#' @seealso [dpadmm_fit()], [privacy()].
#' @examples
#' public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
#' plan <- dpadmm_plan(ill ~ age + smoker, public,
#'   sizes = c(north = 2500, south = 4000, west = 3000), epsilon = 1, delta = 1e-5
#' )
#' plan
#' plot(plan)
#' dpadmm_plan(20, sizes = c(100, 50), epsilon = 1)$expected$verdict
#' @export
dpadmm_plan <- function(x, ...) UseMethod("dpadmm_plan")

#' @rdname dpadmm_plan
#' @export
dpadmm_plan.formula <- function(x, schema, sizes, ..., nodes = NULL, loss = "logistic",
                                rows = c("scale", "shorten"), case_weights = NULL,
                                weight_bound = NULL, offset = NULL, na.action = "fail") {
  facts <- if (!missing(schema)) public_facts(schema)
  if (!is.null(facts)) {
    fails <- !missing(na.action) && check_na_action(na.action) == "fail"
    said <- c(sizes = !missing(sizes), nodes = !is.null(nodes), na.action = fails)
    if (any(said)) abort_said(names(said)[said][1L])
    return(plan_of_facts(facts, x, ..., loss = loss, rows = rows, case_weights = case_weights,
      weight_bound = weight_bound, offset = offset
    ))
  }
  if (missing(sizes)) abort_no_sizes()
  if (missing(schema)) {
    abort("argument", "`schema` is missing: the bounds or levels of the formula's variables.",
      argument = "schema"
    )
  }
  loss <- dpadmm_loss(loss)
  rows <- check_choice(rows, c("scale", "shorten"), "rows")
  options <- public_options(case_weights, weight_bound, offset, na.action)
  blueprint <- schema_blueprint(x, schema, loss, rows, options)
  if (!is.null(nodes)) blueprint$nodes <- check_node_column(nodes)
  plan <- dpadmm_plan.default(structure(blueprint, class = "dpadmm_blueprint"), sizes, ...,
    loss = loss
  )
  remember(plan,
    x = x, schema = schema, rows = rows, nodes = nodes, case_weights = case_weights,
    weight_bound = weight_bound, offset = offset,
    na.action = if (options$na_action == "omit") "omit"
  )
}

#' @rdname dpadmm_plan
#' @export
dpadmm_plan.default <- function(x, sizes, network = network_complete(), method = mr_admm(),
                                loss = "logistic", penalty = NULL, C = NULL, rho = 0.01,
                                iterations = NULL, epsilon, delta = 0, noise = NULL, seed = NULL,
                                control = dpadmm_control(), classes = NULL, lambda = NULL,
                                weights = c("precision", "records", "nodes"), response = NULL,
                                intercept = TRUE, rows = c("error", "shorten"), case_weights = NULL,
                                weight_bound = NULL, offset = NULL, na.action = "fail",
                                per_person = 1, inference = FALSE, aggregation = "plain", ...) {
  check_no_dots(...)
  if (missing(sizes)) abort_no_sizes()
  asked <- given_arguments(match.call(), environment())
  settings <- plan_settings(network, method, loss, penalty, C, rho, iterations,
    if (missing(epsilon)) NULL else epsilon, delta, noise, seed, control,
    given = c(
      if (!missing(C)) "C", if (!missing(rho)) "rho", if (!missing(network)) "network",
      if (!missing(lambda)) "lambda", if (!missing(weights)) "weights"
    ), weights = weights, lambda = lambda, per_person = per_person, inference = inference,
    aggregation = aggregation
  )
  held <- align_sizes(check_sizes(sizes), settings$network)
  method <- settings$method
  if (inherits(x, "dpadmm_blueprint")) {
    if (!missing(intercept)) abort_intercept()
    blueprint <- unclass(x)
  } else {
    check_flag(intercept, "intercept")
    blueprint <- columns_blueprint(x, intercept, check_choice(rows, c("error", "shorten"), "rows"))
    options <- public_options(case_weights, weight_bound, offset, na.action)
    blueprint <- c(blueprint, record_facts(options))
  }
  classes <- check_classes(classes, settings$loss)
  blueprint$classes <- declared_classes(classes, blueprint$classes)
  range <- declared_range(check_range(response, settings$loss), blueprint$range)
  if (is.null(range) && blueprint$kind == "frame" && !settings$loss$classification) {
    abort_no_range(blueprint$response)
  }
  blueprint <- with_row_bound(with_range(blueprint, range), settings$control$row_bound)
  do.call(remember, c(list(plan_for(settings, blueprint, held)), asked))
}

#' What others know of their records, for a plan: list(schema, sizes, na.action, seed).
#' @noRd
public_facts <- function(schema) UseMethod("public_facts")

#' @export
public_facts.default <- function(schema) NULL

#' @noRd
plan_of_facts <- function(facts, x, ...) {
  given <- list(...)
  if (length(odd <- setdiff(intersect(names(given), names(facts)), "seed"))) {
    abort_said(odd[1L])
  }
  facts[intersect(names(facts), names(given))] <- NULL
  do.call(dpadmm_plan.formula, c(list(x), facts, given))
}

abort_said <- function(name) {
  abort("argument", sprintf("`%s` is what the sites say it is.", name), argument = name)
}

abort_no_sizes <- function() {
  abort("argument", "`sizes` is missing: the number of records of each party.",
    argument = "sizes"
  )
}

#' @param x names of columns, or how many there are.
#' @noRd
columns_blueprint <- function(x, intercept, rows) {
  names <- if (is.character(x) && length(x) > 0L && !anyNA(x)) x
  p <- if (is.null(names)) check_number(x, "x", lower = 1, upper = 1e8, whole = TRUE)
  matrix_blueprint(if (is.null(names)) p else length(names), names, NULL, intercept, rows)
}

#' Parties in the order of the network's names, when those are the same names.
#' @noRd
align_sizes <- function(held, network) {
  if (is.null(network$names) || length(network$names) != length(held$names)) return(held)
  if (!held$named) {
    held$names <- network$names
    return(held)
  }
  order <- match(network$names, held$names)
  if (anyNA(order)) {
    abort("nodes", sprintf(
      "Node \"%s\" of `network` is not one of the names of `sizes`.",
      network$names[is.na(order)][1L]
    ), argument = "sizes", place = network$names[is.na(order)][1L])
  }
  list(names = network$names, size = held$size[order], named = TRUE)
}

check_node_column <- function(nodes) {
  if (is.null(holder_column(nodes))) {
    abort("argument", "`nodes` of a plan must be ~column.", argument = "nodes")
  }
  environment(nodes) <- globalenv()
  nodes
}
