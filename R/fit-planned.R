# The fit of a plan: in this process, or over sites.

#' @rdname dpadmm_fit
#' @export
dpadmm_fit.dpadmm_plan <- function(x, data, y = NULL, nodes = NULL, seed = NULL,
                                   control = x$control, case_weights = NULL, offset = NULL,
                                   save = NULL, ledger = NULL, data_id = NULL, ...) {
  check_no_dots(...)
  if (missing(data)) {
    abort("argument", "`data` is missing: the records of the plan.", argument = "data")
  }
  check_class(control, "dpadmm_control", "control", "dpadmm_control()")
  seed <- check_seed(seed)
  if (inherits(data, "dpadmm_sites")) {
    refuse_over_sites(y = !is.null(y), nodes = !is.null(nodes), offset = !is.null(offset),
      case_weights = !is.null(case_weights))
    if (data$kind != "frames") return(fit_sites(x, data, seed, control, save, ledger))
    one <- pooled_sites(data)
    nodes <- one$nodes
    data <- one$data
  }
  if (!is.null(save)) {
    abort("argument", "`save` is for fits over sites: saveRDS() keeps others.", argument = "save")
  }
  ledger <- fit_ledger(ledger, data_id, seed)
  blueprint <- x$problem$blueprint
  nodes <- given_nodes(nodes)
  if (is.null(nodes)) nodes <- blueprint$nodes
  given <- list(case_weights = case_weights, offset = offset)
  if (inherits(data, "dpadmm_records")) {
    stored <- planned_file(x, data, y, nodes, given)
    records <- stored$records
    nodes <- stored$nodes
  } else {
    if (inherits(nodes, "formula")) nodes <- node_values(nodes, data)
    records <- records_planned(blueprint, data, y, x$problem$loss, given, control$threads)
  }
  key <- noise_key(seed)
  on.exit(forget_key(key))
  held <- planned_holders(x$problem, nodes, nrow(records$x), key)
  warn_of_leaks(records$leaks, x$private, blueprint$kind == "frame")
  fit_plan(x, records, held, key, seed, control, ledger)
}
