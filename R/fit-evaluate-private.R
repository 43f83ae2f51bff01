# evaluate() with a budget: counts and sums of bounded whole numbers, one set a holder, with exact
# noise. What is then computed is computed from these.

# sums are of whole numbers, of which the bound of a record's loss is as many
.loss_steps <- 2^20
# and its square a quarter as many: it is only for the width of an interval
.square_steps <- 2^18

#' What may be asked of a loss.
#' @noRd
measures_of <- function(loss, blueprint) {
  if (!loss$classification) return(c("mse", if (!is.null(blueprint$range)) "r2"))
  c("error", if (loss$name == "logistic") c("log_loss", "calibration"), "auc")
}

#' What a private evaluation releases, or NULL where none is asked for.
#' @param named the arguments that were given.
#' @noRd
private_spec <- function(fit, given, named) {
  if (is.null(given$epsilon)) {
    if (length(odd <- intersect(named, setdiff(names(given), c("node", "epsilon"))))) {
      abort("argument", sprintf("`%s` is of a private evaluation, which needs `epsilon`.", odd[1L]),
        argument = odd[1L]
      )
    }
    return(NULL)
  }
  spec <- evaluation_spec(fit, given)
  spec$ledger <- fit_ledger(given$ledger, given$data_id, given$seed)
  spec
}

#' @param given what it may take beside the records: a list of the method's arguments.
#' @noRd
evaluate_privately <- function(fit, spec, records, x, given) {
  nodes <- given$nodes
  if (inherits(nodes, "formula")) nodes <- node_values(nodes, x)
  held <- evaluation_holders(fit, nodes, records$count)
  queries <- evaluation_queries(spec, records, node_models(fit, given$node))
  releases <- evaluation_releases(queries, held, given$epsilon, given$delta)
  words <- sprintf("evaluation of %s, %s", plan_words(fit$plan),
    count_words(length(held$size), "holder"))
  charged <- charge_evaluation(spec$ledger, releases$events, words)
  key <- noise_key(given$seed)
  on.exit(forget_key(key))
  values <- draw_evaluation(queries, held, releases, key)
  new_evaluation(fit, spec, held, releases, values, charged, !is.null(given$seed))
}

#' What is asked for, checked before a record is looked at.
#' @noRd
evaluation_spec <- function(fit, given) {
  problem <- fit$plan$problem
  loss <- problem$loss
  refuse_evaluation(problem, fit$blueprint)
  check_number(given$epsilon, "epsilon", lower = 0, open_lower = TRUE)
  check_number(given$delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  if (!is.null(over_nodes(given$node)) || identical(given$node, "all")) {
    abort("argument", "A private evaluation is of one model: `node` NULL or the name of one.",
      argument = "node"
    )
  }
  known <- measures_of(loss, fit$blueprint)
  measures <- if (is.null(given$measures)) known else given$measures
  if (length(measures) == 0L) check_choice(measures, known, "measures") # its error
  for (one in measures) check_choice(one, known, "measures")
  reach <- sum(node_models(fit, given$node)^2)^0.5 * problem$row_bound
  list(
    measures = unique(measures), loss = loss, level = check_level(given$level),
    clip = evaluation_clip(given$clip, loss, fit$blueprint),
    unit = response_unit(fit$blueprint), reach = reach,
    edges = if (loss$classification) evaluation_edges(given$bins, reach, loss)
  )
}

#' Where the number of records that count is not public, or more than a person is protected.
#' @noRd
refuse_evaluation <- function(problem, blueprint, argument = "fit", who = "A private evaluation") {
  refuse <- function(words) {
    abort("argument", paste(who, words), argument = argument)
  }
  if (problem$unit == "holder") {
    refuse("protects records or persons, not all records of a holder (`unit`).")
  }
  if (!is.null(blueprint$weights)) refuse("counts each record once: no weights.")
  if (omits(blueprint)) {
    refuse("needs the number of records to be public: no rows are omitted for missing values.")
  }
}

#' The largest loss of a record: log loss, or square of the residual as the fit scales it.
#' @noRd
evaluation_clip <- function(clip, loss, blueprint) {
  unit <- if (loss$classification) 1 else response_unit(blueprint)
  # its powers must be numbers
  if (!is.null(clip)) check_number(clip, "clip", lower = 1e-30 * unit, upper = 1e30 * unit)
  if (loss$classification) return(if (is.null(clip)) 4 else clip)
  if (is.null(clip) && is.null(blueprint$range)) {
    abort("argument", paste(
      "`clip` is missing: the largest residual, a public number. The response of this fit has no",
      "bounds."
    ), argument = "clip")
  }
  if (is.null(clip)) 4 else (clip / unit)^2
}

#' Edges of bins of the linear predictor: for the logistic loss of equal width in probability,
#' between the least and the largest that the model can give.
#' @noRd
evaluation_edges <- function(bins, reach, loss) {
  logistic <- loss$name == "logistic"
  ends <- if (logistic) stats::plogis(c(-reach, reach)) else c(-reach, reach)
  if (length(bins) == 1L) {
    check_number(bins, "bins", lower = 2, upper = 1000, whole = TRUE)
    edges <- seq(ends[1L], ends[2L], length.out = bins + 1)
  } else {
    edges <- check_numbers(bins, "bins", lower = if (logistic) 0 else -Inf,
      upper = if (logistic) 1 else Inf)
    if (is.unsorted(edges, strictly = TRUE) || length(edges) < 3L) {
      abort("argument", "`bins` must be a number, or three edges or more that rise.",
        argument = "bins"
      )
    }
  }
  edges
}

#' Whose each record is, and how many of a person's count.
#' @noRd
evaluation_holders <- function(fit, nodes, n) {
  held <- if (is.null(nodes)) {
    list(index = rep(1L, n), names = "holder", size = n, named = FALSE)
  } else {
    c(named_nodes(nodes, n), list(named = TRUE))
  }
  problem <- fit$plan$problem
  persons <- problem$per_person
  same <- held$named && all(held$names %in% problem$names)
  held$per_person <- if (same) {
    persons[match(held$names, problem$names)]
  } else {
    rep(max(persons), length(held$size))
  }
  held
}

#' What each record adds, whole numbers, and how far one record can move the sum, in L1 and L2.
#' @return a list of list(value = matrix n x dim or cells 1..dim, dim, l1, l2, share).
#' @noRd
evaluation_queries <- function(spec, records, model) {
  shift <- if (is.null(records$offset)) 0 else records$offset
  link <- as.vector(records$x %*% t(model)) * records$shorten + shift
  y <- records$y
  asked <- spec$measures
  out <- list()
  if ("error" %in% asked) {
    out$error <- list(value = cbind(+((link > 0) != (y > 0))), dim = 1, l1 = 1, l2 = 1, share = 1)
  }
  if (any(c("log_loss", "mse", "r2") %in% asked)) {
    losses <- if (spec$loss$classification) log1p_exp(-y * link) else (link - y)^2
    part <- pmin(losses / spec$clip, 1)
    out$loss <- list(
      value = cbind(round(.loss_steps * part), round(.square_steps * part^2)), dim = 2,
      l1 = .loss_steps + .square_steps, l2 = sqrt(.loss_steps^2 + .square_steps^2), share = 1
    )
  }
  if ("r2" %in% asked) out$response <- response_query(y, part)
  if (any(c("calibration", "auc") %in% asked)) {
    bins <- length(spec$edges) - 1L
    score <- if (spec$loss$name == "logistic") stats::plogis(link) else link
    bin <- findInterval(score, spec$edges, all.inside = TRUE)
    out$scores <- list(
      cell = bin + ifelse(y > 0, bins, 0L), dim = 2 * bins, l1 = 2, l2 = sqrt(2), share = 2
    )
  }
  out
}

#' One calibration: of a Gaussian release the square of sensitivity over noise is its share of the
#' whole, of a Laplace release the sensitivity over the noise.
#' @return list(kind, scale = holders x queries, events).
#' @noRd
evaluation_releases <- function(queries, held, epsilon, delta) {
  pure <- delta == 0
  share <- vapply(queries, `[[`, 0, "share")
  share <- share / sum(share)
  moved <- outer(held$per_person, vapply(queries, `[[`, 0, if (pure) "l1" else "l2"))
  dims <- vapply(queries, `[[`, 0, "dim")
  each <- rep(if (pure) share else sqrt(share), each = nrow(moved))
  events <- function(unit) {
    scale <- as.vector(unit * moved / each)
    node <- rep(if (held$named) seq_along(held$size) else NA, length(queries))
    dim <- rep(dims, each = length(held$size))
    sensitivity <- as.vector(moved)
    out <- if (pure) {
      dp_event_laplace(scale, round_up(sensitivity + dim * 2^-40 * scale), node = node)
    } else {
      dp_event_gaussian(scale, on_grid(sensitivity, scale, dim), node = node, dim = dim)
    }
    of_parties(out, held)
  }
  unit <- calibrate(events, epsilon, delta)
  list(
    kind = if (pure) "laplace" else "gaussian", scale = unit * moved / each,
    events = events(unit), delta = delta
  )
}

charge_evaluation <- function(ledger, events, words) {
  if (is.null(ledger)) return(NULL)
  digest <- digest::digest(enc2utf8(paste(words, events_to_json(events))),
    algo = "sha256", serialize = FALSE
  )
  charged_of(ledger, charge_ledger(ledger, events, plan = digest, what = words))
}

#' Sums with their noise: for each query a matrix, a row a holder.
#' @noRd
draw_evaluation <- function(queries, held, releases, key) {
  holders <- length(held$size)
  out <- lapply(seq_along(queries), function(k) {
    q <- queries[[k]]
    sums <- if (is.null(q$cell)) {
      unname(rowsum(q$value, held$index, reorder = TRUE))
    } else {
      cells <- (held$index - 1) * q$dim + q$cell
      matrix(tabulate(cells, holders * q$dim), holders, byrow = TRUE)
    }
    for (h in seq_len(holders)) {
      sums[h, ] <- noisy_value(releases$kind, sums[h, ], releases$scale[h, k],
        (h - 1) * length(queries) + k, key)
    }
    sums
  })
  stats::setNames(out, names(queries))
}
