# Secure sums over the holders of helper-gradient-holders.R.

secure_kinds <- c(hub_kinds[c("grad_admm", "acc_admm", "start", "dp_sgd", "clip", "blocks")],
  list(fp_admm = fp_admm(gamma = 1)))
at_least_3 <- secure_sum(honest = 3, failures = 2)
secure_plan <- function(method, ..., aggregation = at_least_3) {
  hub_plan(method, ..., aggregation = aggregation)
}

# Whole numbers of 8 bytes, below 2^53 in size.
whole_numbers <- function(raw) {
  halves <- matrix(readBin(raw, "integer", length(raw) / 4, endian = "little"), 2)
  halves[2, ] * 2^32 + halves[1, ] + 2^32 * (halves[1, ] < 0)
}

# The parts of every sum of a run, an array [number, holder, sum], and its model.
sum_parts <- function(plan, seed, data = hub_data, saved = FALSE, d = 5) {
  seen <- new.env()
  run <- run_plan(plan, data[c("x", "y")], list(index = data$holder), noise_key(seed),
    engine_stepwise(saved = saved, sent = seen), control = dpadmm_control(progress = FALSE))
  parts <- lapply(seen$values, function(shares) matrix(unlist(lapply(shares, whole_numbers)), d))
  list(parts = simplify2array(parts), raw = seen$values, f = as.vector(run$f))
}
