# A holder of fp_admm() by itself, in the compiled core, that is told what z is.

#' States of a holder (rounds x d) without noise, z by round from a function of the round and of
#' the states so far of all `data`: a list of list(x, y), all with as many records.
holder_states <- function(data, z, rounds, gamma, lambda = 0.5, loss = "huber", tol = 1e-10) {
  d <- ncol(data[[1L]]$x)
  B <- nrow(data[[1L]]$x)
  plan <- dpadmm_plan(d,
    sizes = c(B, B), method = fp_admm(gamma = gamma, lambda = lambda), loss = loss, epsilon = Inf,
    iterations = rounds + 1, control = dpadmm_control(tol = tol, progress = FALSE)
  )
  spec <- core_spec(plan, keep = FALSE, threads = 1L)
  party <- lapply(data, function(one) {
    core_call(.Call(ffi_party_open, spec, 1, c(packed(one$x, one$y), list(
      row_bound = 1, layout = "packed", user_size = B
    )), core_call(.Call(ffi_key_party, noise_key(1), 1))))
  })
  on.exit(for (p in party) .Call(ffi_party_close, p))
  states <- lapply(data, function(one) matrix(0, rounds + 1L, d))
  for (t in seq_len(rounds)) {
    now <- z(t, lapply(states, function(s) s[t, ]))
    for (k in seq_along(party)) {
      answer <- .Call(ffi_party_step, party[[k]], t, now)
      core_call(answer$status)
      states[[k]][t + 1L, ] <- answer$values
    }
  }
  list(plan = plan, states = lapply(states, function(s) s[-1L, , drop = FALSE]))
}

#' By how much the states of a holder and its neighbour differ after each round.
states_moved <- function(run) {
  sqrt(rowSums((run$states[[1L]] - run$states[[2L]])^2))
}
