# Sites that know each other, and whole numbers of 64 bits, which R has not got.

skip_unless_sums <- function() {
  skip_unless_sites()
  skip_if_not_installed("sodium")
}

#' Identities of sites, as their custodians would make them.
#' @return list(file, peers), by name.
known_sites <- function(names) {
  file <- stats::setNames(tempfile(rep("identity", length(names)), fileext = ".key"), names)
  list(file = file, peers = vapply(file, site_identity, ""))
}

#' The keys that sites come to: for each the raw ones it shares with the others, in their order.
agreed_keys <- function(names, run = new_run(), plan = strrep("0", 64)) {
  known <- known_sites(names)
  policies <- Map(function(name, file) list(site = name, identity = file, peers = known$peers),
    names, known$file)
  keys <- lapply(policies, run_keys, run, plan, names)
  signed <- matrix(unlist(lapply(keys, `[[`, "signed")), .signed_bytes)
  lapply(seq_along(names), function(i) {
    check_signed(policies[[i]], signed, run, plan, names)
    pair_keys(keys[[i]]$secret, signed, i, run, plan)
  })
}

#' Doubles that are whole numbers as words: 8 bytes, the lowest first.
words <- function(x) {
  high <- floor(x / 2^32)
  low <- x - high * 2^32
  # R reads the smallest of its integers as NA, and writes it as what it is
  signed <- function(v) suppressWarnings(as.integer(ifelse(v >= 2^31, v - 2^32, v)))
  writeBin(as.vector(rbind(signed(low), signed(high))), raw(), endian = "little")
}

#' The words of a sum, by digits of two bytes that R can add.
sum_of_words <- function(list) {
  digits <- lapply(list, function(x) {
    matrix(readBin(x, "integer", length(x) / 2, 2L, signed = FALSE, endian = "little"), 4L)
  })
  total <- Reduce(`+`, digits)
  for (k in 1:4) {
    carry <- total[k, ] %/% 65536L
    total[k, ] <- total[k, ] %% 65536L
    if (k < 4L) total[k + 1L, ] <- total[k + 1L, ] + carry
  }
  writeBin(as.vector(total), raw(), 2L, endian = "little")
}

#' n random words.
random_words <- function(n) {
  as.raw(sample(0:255, 8 * n, TRUE))
}

asked_of <- function(round, attempt = 0, inbox = digest_of(0)) {
  list(round = round, attempt = attempt, inbox = inbox)
}

# ---- a run, as a hub sees it -----------------------------------------------------------------

sum_sizes <- c(A = 60, B = 50, C = 40)

#' A plan of which only sums are seen.
sum_plan <- function(sizes = sum_sizes, failures = 2, iterations = 4, epsilon = 2) {
  dpadmm_plan(ill ~ age + smoker, site_schema, sizes, method = grad_admm(), epsilon = epsilon,
    delta = 1e-4, na.action = "omit", seed = 1, iterations = iterations,
    aggregation = secure_sum(failures = failures))
}

#' Sites with identities, each with a ledger of its own, and what a hub may say to them.
#' @param known of known_sites().
sum_hub <- function(plan = sum_plan(), known = known_sites(plan$problem$names), run = new_run(),
                    ledger = NULL, ...) {
  names <- plan$problem$names
  if (is.null(ledger)) {
    ledger <- stats::setNames(tempfile(rep("ledger", length(names)), fileext = ".sqlite"), names)
  }
  sites <- lapply(stats::setNames(nm = names), function(name) {
    policy <- site_policy(name, site_schema, 50, 1e-3, ledger = ledger[[name]],
      identity = known$file[[name]], peers = known$peers, ...)
    dpadmm_site(policy, site_patients(plan$problem$size[names == name], match(name, names)))
  })
  hub <- list(sites = sites, run = run, plan = plan, known = known, ledger = ledger,
    recipe = text_to_wire(plan_recipe(plan)), d = plan$problem$d)
  hub$ask <- function(name, request, ...) {
    given <- utils::modifyList(list(run = run), list(...), keep.null = TRUE)
    site_answer(sites[[name]], request, given)
  }
  hub$open <- function(name, ...) hub$ask(name, "open", recipe = hub$recipe, analyst = "me", ...)
  hub$join <- function(name, signed) hub$ask(name, "join", keys = keys_to_wire(signed))
  hub$step <- function(name, round = 1, attempt = 0, inbox = numeric(hub$d)) {
    hub$ask(name, "step", round = round, inbox = doubles_to_wire(inbox), attempt = attempt)
  }
  hub$charges <- function() vapply(sites, function(s) nrow(site_report(s$it)$charges), 0L)
  hub
}

#' All sites open the run, and have each other's keys.
#' @return the signed keys.
begin_sum <- function(hub) {
  signed <- lapply(names(hub$sites), function(name) hub$open(name)$value$signed)
  for (name in names(hub$sites)) stopifnot(is.null(hub$join(name, signed)$error))
  signed
}

#' The words of all sites for a round.
sum_messages <- function(hub, ...) {
  lapply(names(hub$sites), function(name) hub$step(name, ...)$value$values)
}

opened <- function(words) .Call(ffi_words_sum, words)

#' What the sites have sent, without masks: of the round that they did last.
plain_parts <- function(hub, attempt = 0) {
  lapply(unname(hub$sites), function(site) {
    own_words(site$it$live[[hub$run]]$handle, as.integer(attempt))
  })
}
