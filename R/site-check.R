# What a site allows of a plan. Every refusal hangs on public numbers: the plan's, the policy's,
# and how many records there are.

#' @param n number of the site's records.
#' @return which party of the plan the site is.
#' @noRd
check_site_plan <- function(policy, plan, n) {
  check_site_method(policy, plan)
  check_site_columns(policy, plan)
  problem <- plan$problem
  check_site_secure(policy, plan)
  party <- match(policy$site, problem$names)
  if (!isTRUE(problem$named) || is.na(party)) {
    decline(sprintf("The plan has no party \"%s\".", policy$site), "sizes")
  }
  if (problem$size[party] != n) {
    decline(sprintf("The plan has %d records at \"%s\", where there are %d.", problem$size[party],
      policy$site, n
    ), "sizes")
  }
  asked <- persons_of(policy, n)
  if (problem$per_person[party] < asked) {
    decline(sprintf("The plan protects %g records of a person, the policy %g.",
      problem$per_person[party], asked
    ), "per_person")
  }
  party
}

#' A file of encoded records is for plans of its formula alone.
#' @param data of the site.
#' @noRd
check_site_file <- function(data, plan) {
  if (!inherits(data, "dpadmm_records")) return(invisible())
  if (!is_of_records(plan$problem$blueprint, data)) {
    decline(sprintf("The site's records are in a file of %s alone.",
      call_words(blueprint_formula(data$blueprint))), "formula")
  }
}

#' The method's own part: noise that only this site draws, and proved guarantees.
#' @noRd
check_site_method <- function(policy, plan) {
  if (!plan$method$name %in% policy$methods) {
    decline(sprintf("The policy does not allow %s.", plan$method$name), "method")
  }
  if (plan$iterations > policy$rounds) {
    decline(sprintf("The policy allows %g iterations, the plan has %d.", policy$rounds,
      plan$iterations
    ), "iterations")
  }
  if (!plan$private) decline("A plan without noise is refused.", "epsilon")
  if (plan$control$accountant != "sound") {
    decline("Only proved guarantees are charged: accountant = \"sound\".", "accountant")
  }
  if (length(plan$leaks)) decline(sprintf("The method reads %s.", plan$leaks[1L]), "method")
  if (!is.null(plan$scales$server) && !is_secure(plan)) {
    decline(paste(
      "Its noise would be added by a server to what sites send without any, and a site sends",
      "nothing without noise of its own: take fp_admm(noise = \"block\")."
    ), "method")
  }
  if (plan$problem$N < 2L) decline("The plan must have a party for each site.", "sizes")
}

#' The columns are the policy's, with its bounds, its levels, and what it puts for missing values.
#' @noRd
check_site_columns <- function(policy, plan) {
  blueprint <- plan$problem$blueprint
  check_site_terms(blueprint, names(policy$schema))
  if (!identical(blueprint$na_action, "omit")) {
    decline("Records with missing values count nothing: na.action = \"omit\".", "na.action")
  }
  by_hand <- (!is.null(blueprint$weights) && is.null(blueprint$weights$call)) ||
    isTRUE(blueprint$offset$given)
  if (by_hand) decline("Weights and offsets must be columns of the site.", "case_weights")
  stated <- plan$asked$schema
  for (name in intersect(names(stated), names(policy$schema))) {
    same <- identical(stated[[name]], policy$schema[[name]]) &&
      identical(attr(stated, "impute")[[name]], attr(policy$schema, "impute")[[name]])
    if (!same) {
      decline(sprintf("The policy describes `%s` in another way than the plan.", name), "schema")
    }
  }
}
