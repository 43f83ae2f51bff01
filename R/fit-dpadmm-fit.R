#' Fit one private model over several data holders
#'
#' Each of N nodes holds some of the records and never shows them. The nodes exchange noisy
#' coefficients over a network until they agree on one model; the privacy statement of the result
#' says what those messages can reveal.
#'
#' Exactly one of `epsilon` and `noise` is given. With `epsilon` the noise is calibrated so that
#' every node spends that total under the accountant of `control` (`epsilon = Inf`: no noise, not
#' private); with `noise` the statement tells what it amounts to. `delta = 0` uses Gamma-norm noise
#' (pure differential privacy), `delta > 0` Gaussian noise.
#'
#' Noise comes from a keyed ChaCha20 generator whose key is drawn from the operating system;
#' [set.seed()] does not matter. `seed` makes a run repeatable, and its privacy statement then says
#' "simulation, not a private release".
#'
#' [coef()][coef.dpadmm_fit] gives coefficients in the user's units: log odds or euros per year.
#'
#' @section Columns and rows:
#' Noise hides a record whose features have norm `control$row_bound` at most.
#'
#' * Formulas and data frames: numeric columns are scaled from their bounds to \[-1, 1\] (to
#'   \[-1, 1\] about zero where the formula has nothing that could take up a shift, as
#'   without an intercept), categorical ones become one indicator per level (all of them: the
#'   penalty keeps the model unique), and an intercept column is added unless the formula
#'   removes it. All columns are then divided by the same public number, the square root of the
#'   number of terms over the row bound, so that no row is longer than it. The penalty, on the
#'   intercept too, is of the coefficients of these columns (`fit$coefficients`).
#' * With `rows = "shorten"` they are not divided, and rows longer than the bound are shortened to
#'   it one by one, in [predict()] too. That can predict a little better, but the coefficients
#'   are then not those of the loss; the statement says how much of what the bounds allow is
#'   shortened.
#' * Bounds and levels that `schema` does not state are read from the records, which is not
#'   private: there is a warning of class `dpadmm_privacy_leak` and a line in the statement.
#' * Matrices: columns are taken as they are. A row that is longer than the bound is an error of
#'   class `dpadmm_error_row_bound`, or is shortened with `rows = "shorten"`. With an
#'   intercept the model has the rows (bound, x) / sqrt(2).
#' * A response of a regression loss is scaled from its bounds to \[-1, 1\] (values outside
#'   are set to the nearer bound); predictions, coefficients and [evaluate()] are in its own
#'   units, a loss's width in those of the scaled one. Of a matrix fit without bounds it is
#'   taken as it is, and should be of the size of 1.
#'
#' @section Terms of a formula:
#' A term like `I(age > mean(age))`, `age / max(age)` or `rank(age)` reads all records: one of
#' them moves every row, which no guarantee covers. Terms are therefore computed once more for
#' parts of the rows (every other row, and a few rows one by one), and a term with another
#' value there is an error of class `dpadmm_error_formula`, or with `row_wise = FALSE` a
#' warning of class `dpadmm_privacy_leak` and a line in the statement. This is a check of the
#' formula, not a proof: it depends on the records whether a term that reads all of them is
#' found, and so does the error. Numbers and functions that a term takes from elsewhere are
#' taken to be public, and columns as they are to hold one record a row.
#'
#' Splines and polynomials are computed row by row where their knots are public numbers:
#' `bs(age, knots = c(40, 60), Boundary.knots = c(18, 100))`, `ns()` likewise (package splines),
#' and `poly(age, 3, raw = TRUE)`. `schema` states the bounds of `age`, which for `bs()` must lie
#' within its `Boundary.knots`; values outside of them are set to the nearer bound first. Knots
#' (and degrees) that are computed from a column of the data, from a data frame or a list, or from
#' a variable as long as the data are not public: an error as above, or a leak with `row_wise =
#' FALSE`. For public knots in a list, name them first: `at <- public$knots`.
#'
#' @section Defaults:
#' What is not given is worked out from public numbers (nodes N, records n, the
#' smallest node's B, features d, degrees, budget), never from the records.
#'
#' * With `noise` given `C = 1`, else `C = rho n / N`, so that the penalty is `||f||^2 / (2n)`
#'   against the mean loss (`lambda = 1/n`), shared among the nodes as `weights` says.
#' * Without noise (`epsilon = Inf`) and without `iterations` the fit of a decentralised method is
#'   the minimiser of its objective itself, to a distance of 1e-9 or a gradient of 1e-12 of the
#'   largest: nothing is hidden, so Newton's method runs on all records together. So it is with
#'   methods of one model, for any loss and penalty, to a gradient of 1e-12 of the largest (where
#'   rounding allows it; if no model is best, far out). With a `clip` that changes the objective,
#'   or beyond 2,000 columns (and as many records, or a [regulariser]), iterations are run.
#' * `iterations = 30` for Gaussian noise; for a pure budget, whose noise grows with every
#'   release, twice epsilon, at least 2 and at most 10; 50 with `noise` given.
#' * `eta` is such that the run's total step `sum 1 / (2 eta V)` is the smallest of n, the time at
#'   which the mean classifier has gathered noise of standard deviation 1.6 a coordinate, the time
#'   at which curvature would cost a large part of the budget, and that of steps so long that
#'   overshooting is not forgotten in so few of them; `growth` multiplies the penalty by 4 over a
#'   private run; `gamma = 0.2 eta V`. V is the mean degree. Edges of unlike nodes are weighted, see
#'   [party-weights].
#'
#' The constants were chosen on Adult and on synthetic data.
#'
#' @param x a formula, a data frame, a numeric matrix, or a sparse matrix of
#'   package Matrix: n records in rows, features in columns; or a plan of [dpadmm_plan()]; or
#'   records in a file, see [dpadmm_records()].
#' @param y n labels, a vector or one column: -1 (or 0) and 1, logical, strings or a factor with
#'   two levels (the second is the positive class); numbers for a regression loss. Labels that
#'   are all the same are no error, because that would tell of a record that differs. For the same
#'   reason nobody looks which numbers occur: -1 and 0 are both the negative class, which is
#'   predicted as -1 unless `classes` says otherwise.
#' @param classes the two classes, negative first, as `y` has them and as they are predicted:
#'   `c(0, 1)`, or two strings. Stated by you and not read from the records. `NULL`: those of
#'   `schema`; else `FALSE` and `TRUE` for logical labels, -1 and 1 for numbers, and for
#'   strings and factors what is there, which is noted as a leak. A plan has its own.
#' @param data a data frame with the variables of the formula, or [sites]; for a plan what its
#'   columns say: a data frame, or a matrix with labels `y`, or [dpadmm_records()].
#' @param nodes who holds which record: a number of nodes (the records are split
#'   evenly at random), a vector or factor of length n, or `~column` of the data
#'   frame. When it is missing, [fp_admm()] takes each record for a user of its own, and [dp_sgd()],
#'   [dp_cd()] and the [gradient] methods all records for those of one holder. With a plan the
#'   names and numbers of records must be the plan's; where the plan names no parties and `nodes` is
#'   missing, the records are split at random.
#' @param network who talks to whom: `"complete"`, `"ring"`, `"star"`, or see [network]. Its
#'   nodes are the sorted values (or levels) of `nodes`.
#' @param method the algorithm, see [decentralised], [fp_admm()], [dp_sgd()] and [gradient]; or
#'   its name, for its defaults (`"mr_admm"`).
#' @param loss a loss, by name (`"logistic"`, or `"binomial"` for the same; `"huber"`, `"hinge"`,
#'   `"squared"`) or from [dpadmm_loss()].
#' @param penalty `NULL` for decentralised methods, whose penalty is
#'   `(rho/N) ||f||^2 / 2`; for the others see [penalty], and for [gradient] methods
#'   [regulariser]; `NULL`: none. They do not use `rho` and `network`, and only [gradient]
#'   methods use `C` (1 by default).
#' @param C weight of the mean loss of a node: the mean over the nodes, or one a node (`0 < C_i <=`
#'   its number of records). `NULL`: see Defaults.
#' @param rho weight of the penalty (> 0).
#' @param lambda weight of `||f||^2 / 2` against the mean loss, as in `glmnet(alpha = 0)`, instead
#'   of `rho`: `lambda = rho / (N C)`. For decentralised methods.
#' @param weights how much unlike nodes count, see [party-weights]: `"precision"` (most for a
#'   private estimate of given noise), `"records"` (each record the same) or `"nodes"` (each node
#'   the same, as printed). For decentralised methods.
#' @param iterations number of exchanges (>= 1), rounds or batches. `NULL`: see Defaults; for
#'   methods with one model 50, or as their help says, without noise the optimum.
#' @param epsilon total privacy budget (> 0, or `Inf`); for decentralised methods, and for
#'   [dp_sgd()], [dp_cd()] and [gradient] methods over several holders, also one a node, `c(A = 1, B
#'   = 0.5)`: a record then has the guarantee of its own node. Numbers with names belong to the
#'   nodes of these names, those without to the nodes in their order; an unknown or lacking name is
#'   an error of class `dpadmm_error_nodes`, as of all numbers given node by node. Noise of
#'   unlike nodes is up to .1% above the least (rarely .3%; over 1,500 releases .2%; with slow
#'   accountants 1.3%).
#' @param delta probability with which the guarantee may fail, in `[0, 1)`.
#' @param noise noise of a given size instead of a budget: [gamma_noise()] or
#'   [gaussian_noise()]; or, next to `epsilon`, which noise to calibrate: `"gamma"` or
#'   `"gaussian"` (for `delta > 0` only).
#' @param seed a whole number for a repeatable simulation; `NULL` for a private release.
#' @param control see [dpadmm_control()].
#' @param response two numbers, public bounds of a regression loss's response. `NULL`: those of
#'   `schema`; else a formula or data frame fit reads them, which is noted as a leak.
#' @param intercept whether a matrix or data frame gets an intercept column first. Formulas say
#'   it themselves. The settings of the papers have none.
#' @param rows what becomes of rows that could be longer than `control$row_bound`: `"scale"`
#'   (formulas and data frames), `"error"` (matrices) or `"shorten"`, see Columns and rows.
#' @param subset of `data`, the rows to use: an expression that is evaluated as [stats::lm()] does.
#'   How many it keeps is public: one with any column of the data is a warning of class
#'   `dpadmm_privacy_leak` and a line in the statement.
#' @param schema public bounds and levels, see [dpadmm_schema()].
#' @param save of a fit over [sites], a file for what is released, see [dpadmm_resume()].
#' @param row_wise `FALSE`: terms of the formula may read other rows than their own, which is
#'   noted as a leak. See below.
#' @param per_person see [persons].
#' @param ledger,data_id a budget of [dpadmm_ledger()] (or a ledger's path, and whose budget) that
#'   the fit is charged to, whatever becomes of it, before any noise is drawn; too little left is an
#'   error of class `dpadmm_error_budget`. Neither `seed` nor `epsilon = Inf` goes with it.
#' @param inference whether the fit shall have standard errors and intervals, see [intervals]:
#'   `TRUE`, `"model"` or `"sandwich"`. For [admm()], [m_admm()], [r_admm()] and [mr_admm()], and
#'   [grad_admm()], [acc_admm()] and [dp_sgd()] with all records in each step, with a budget and
#'   `delta > 0` (or `epsilon = Inf`); a quarter of the budget goes to what only they need.
#' @param aggregation `"plain"`, or where a method needs only a sum of what holders send `"secure"`
#'   or [secure_sum()]: nobody sees the parts, and the holders share the noise.
#' @param ... arguments of the matrix method.
#'
#' @return An object of class `dpadmm_fit` with methods `coef()`, [predict()],
#'   `print()`, `summary()`, [plot()], [privacy()], [update()], `tidy()`, `glance()` and
#'   `augment()`, and `formula()`, `terms()`, `nobs()` ([fit_formula]). It has one shape for
#'   all methods: `coefficients` (N x d, N = 1 for methods with one model), `iterates` (an array
#'   `[iteration, node, coefficient]`, or `[iteration, coefficient]` for methods with one
#'   model, when `control` keeps them), `trace` (consensus gap and step size by iteration),
#'   `events`, `noise`, `nodes`, the `plan` it ran ([dpadmm_plan()]), `converged` (of a fit without
#'   noise, whether the gradient that is left, as its trace bounds it, is below 1e-5 of the largest
#'   possible one, or without `iterations` whether Newton's method came to its end; else there is
#'   a warning of class `dpadmm_warning_convergence`; `NA` with noise),
#'   and what else a method releases. It holds no record, nothing computed from records that was
#'   not released, and no call.
#'
#'   Errors are classed, see [dpadmm-conditions]; one about a record tells of it, see there.
#' @seealso [dpadmm_plan()] for the same without records, [decentralised] for the methods,
#'   [privacy()], [account()], [check_convergence()].
#' @examples
#' # Four hospitals, 400 patients, a public description of the columns.
#' n <- 400
#' patients <- data.frame(
#'   age = sample(20:90, n, TRUE), smoker = sample(c("no", "yes"), n, TRUE),
#'   hospital = sample(c("A", "B", "C", "D"), n, TRUE)
#' )
#' patients$ill <- patients$age / 90 + (patients$smoker == "yes") + rnorm(n, sd = 0.3) > 1.2
#' public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
#' fit <- dpadmm_fit(ill ~ age + smoker, patients,
#'   nodes = ~hospital, schema = public, epsilon = 10
#' )
#' fit
#' coef(fit) # log odds: per year, and of smokers and others
#' head(predict(fit, patients, type = "response"))
#' @export
dpadmm_fit <- function(x, ...) UseMethod("dpadmm_fit")

#' @rdname dpadmm_fit
#' @export
dpadmm_fit.default <- function(x, y, nodes, network = network_complete(), method = mr_admm(),
                               loss = "logistic", penalty = NULL, C = NULL, rho = 0.01,
                               iterations = NULL, epsilon, delta = 0, noise = NULL, seed = NULL,
                               control = dpadmm_control(), classes = NULL, lambda = NULL,
                               weights = c("precision", "records", "nodes"), response = NULL,
                               intercept = TRUE, rows = c("error", "shorten"), case_weights = NULL,
                               weight_bound = NULL, offset = NULL, na.action = "fail",
                               per_person = 1, ledger = NULL, data_id = NULL, inference = FALSE,
                               aggregation = "plain", ...) {
  check_no_dots(...)
  if (!missing(nodes)) nodes <- given_nodes(nodes)
  asked <- asked_of_fit(match.call(), environment())
  options <- record_options(case_weights, weight_bound, offset, na.action)
  settings <- plan_settings(network, method, loss, penalty, C, rho, iterations,
    if (missing(epsilon)) NULL else epsilon, delta, noise, seed, control,
    given = c(
      if (!missing(C)) "C", if (!missing(rho)) "rho", if (!missing(network)) "network",
      if (!missing(nodes)) "nodes", if (!missing(lambda)) "lambda",
      if (!missing(weights)) "weights"
    ), weights = weights, lambda = lambda, per_person = per_person, inference = inference,
    aggregation = aggregation
  )
  ledger <- fit_ledger(ledger, data_id, settings$seed)
  if (missing(nodes)) {
    if (on_graph(settings$method)) abort_no_nodes()
    nodes <- NULL
  }
  framed <- inherits(x, "dpadmm_builder")
  if (framed && !missing(intercept)) abort_intercept()
  check_labels_given(framed, !missing(y) && !(framed && is.null(y)))
  classes <- check_classes(classes, settings$loss)
  response <- check_range(response, settings$loss)
  bound <- settings$control$row_bound
  records <- if (framed) {
    x$build(settings$loss, classes, response, bound, options)
  } else {
    check_flag(intercept, "intercept")
    rows <- check_choice(rows, c("error", "shorten"), "rows")
    records_matrix(x, y, settings$loss, classes, response, intercept, rows, bound, options,
      settings$control$threads, as_held = TRUE
    )
  }
  key <- noise_key(settings$seed)
  on.exit(forget_key(key))
  held <- fit_holders(settings, nodes, nrow(records$x), key)
  plan <- plan_for(settings, records$blueprint, held)
  warn_of_leaks(records$leaks, plan$private, framed)
  fit <- fit_plan(plan, records, held, key, settings$seed, ledger = ledger)
  do.call(remember, c(list(fit), asked))
}

#' @rdname dpadmm_fit
#' @export
dpadmm_fit.formula <- function(x, data, nodes, schema = NULL, row_wise = TRUE,
                               rows = c("scale", "shorten"), subset = NULL, ...) {
  if (missing(x)) {
    abort("argument", "The formula comes first and has no name: dpadmm_fit(y ~ x, data, ...).",
      argument = "x"
    )
  }
  check_labels_given(TRUE, !is.null(match.call()$y))
  if (missing(data)) {
    abort("argument", "`data` is missing: a data frame with the formula's variables.",
      argument = "data"
    )
  }
  if (inherits(data, "dpadmm_sites")) {
    refuse_over_sites(nodes = !missing(nodes), subset = !missing(subset))
    return(fit_formula_sites(x, data, schema, ..., rows = rows))
  }
  if (!is.data.frame(data)) {
    abort("argument", sprintf("`data` must be a data frame, not %s.", kind_of(data)),
      argument = "data"
    )
  }
  if (length(x) != 3L) abort("argument", "The formula must have a response.", argument = "x")
  check_flag(row_wise, "row_wise")
  data <- plain_columns(data) # before rows are taken, which drops the class
  kept <- subset_rows(substitute(subset), data, environment(x))
  if (!missing(nodes)) nodes <- given_nodes(nodes)
  leak <- subset_leak(substitute(subset), data)
  if (!is.null(kept)) {
    if (!missing(nodes) && !inherits(nodes, "formula") && length(nodes) == nrow(data)) {
      nodes <- nodes[kept]
    }
    data <- data[kept, , drop = FALSE]
  }
  fit <- fit_frame(x, data, NULL, nodes, schema, rows, row_wise, leak, ...)
  remember(fit,
    x = x, schema = schema, rows = rows, row_wise = row_wise, nodes = node_column(nodes)
  )
}

#' @rdname dpadmm_fit
#' @export
dpadmm_fit.data.frame <- function(x, y, nodes, schema = NULL, rows = c("scale", "shorten"),
                                  intercept = TRUE, ...) {
  if (missing(y)) abort("argument", "`y` is missing: one label a record.", argument = "y")
  check_flag(intercept, "intercept")
  fit <- fit_frame(if (intercept) ~. else ~ . - 1, x, y, nodes, schema, rows, TRUE, NULL, ...)
  remember(fit,
    schema = schema, rows = rows, intercept = intercept, nodes = node_column(nodes)
  )
}
