# Cases of tools/fuzz: what releases cost, at the ends of what doubles can hold.

#' The call of an event, of noise `size` or a random one.
random_event <- function(size = far()) {
  neighbours <- one_of("replace-one", "replace-one", "add-remove")
  count <- one_of(1, 1, 1, 7, 1e3, 1e6, 1e15)
  flag <- stats::runif(1L) < 0.5
  switch(one_of("pure", "laplace", "gamma", "gaussian", "sampled", "objective", "objective_g"),
    pure = bquote(dp_event_pure(1 / .(size), .(neighbours), count = .(count))),
    laplace = bquote(dp_event_laplace(.(size), .(far()), .(neighbours), count = .(count))),
    gamma = bquote(dp_event_gamma(1 / .(size), .(far()), .(one_of(1, 2, 5, 100, 1e6)),
      .(neighbours), count = .(count))),
    gaussian = bquote(dp_event_gaussian(.(size), .(far()), .(neighbours), count = .(count))),
    sampled = bquote(dp_event_subsampled_gaussian(.(size), .(far(1)), .(one_of(min(1, far()), 0.01,
      0.5, 1)), .(one_of("poisson", "fixed")), .(neighbours), count = .(one_of(1, 10, count)))),
    objective = bquote(dp_event_objective_gamma(1 / .(size), .(far()), .(far()), .(far()),
      .(one_of(1, 5, 1e3)), .(flag), .(neighbours), count = .(count))),
    objective_g = bquote(dp_event_objective_gaussian(.(size), .(far()), .(far()), .(far()),
      .(flag), .(neighbours), count = .(count)))
  )
}

random_accountant <- function() {
  one_of("best", "best", "pure", "gaussian", "zcdp", "rdp", "pld")
}

make_account <- function() {
  events <- lapply(seq_len(one_of(1, 1, 2, 3)), function(k) random_event())
  bquote(check_account(.(as.call(c(quote(c), events))), .(far_delta()), .(random_accountant())))
}

#' A cost is a finite number or an error, its bracket in order, and a larger delta costs no more.
check_account <- function(events, delta, accountant) {
  found <- account(events, delta, accountant)
  more <- delta + (1 - delta) / 8
  looser <- tryCatch(account(events, more, accountant)$epsilon, dpadmm_error = function(e) 0)
  c(
    if (!is.finite(found$epsilon) || found$epsilon < 0) sprintf("epsilon %g", found$epsilon),
    if (looser > found$epsilon * (1 + 1e-6) + 1e-12 && more < 1) {
      sprintf("epsilon %.10g at delta %g, %.10g at %g", found$epsilon, delta, looser, more)
    },
    if (!is.null(found$bracket) && found$bracket[1L] > found$bracket[2L]) "a bracket upside down",
    utils::capture.output(print(found))[0L]
  )
}

#' A function of the package with numbers of which nothing is known but their sign.
make_divergence <- function() {
  orders <- one_of(quote(2), quote(c(1.5, 2, 16)), bquote(.(1 + far())), quote(c(1.0001, 1e4)))
  calls <- list(
    bquote(gaussian_epsilon(.(far()), .(far_delta()), .(far()))),
    bquote(gaussian_delta(.(far()), .(far()), .(far()))),
    bquote(gaussian_sigma(.(far()), .(far_delta()), .(far()))),
    bquote(rdp_gaussian(.(orders), .(far()), .(far()))),
    bquote(rdp_laplace(.(orders), .(far()), .(far()))),
    bquote(rdp_pure(.(orders), .(far()))),
    bquote(rdp_subsampled_gaussian(.(orders), .(min(1, far())), .(far(1)),
      .(one_of("poisson", "fixed")), .(one_of("add-remove", "replace-one")))),
    bquote(rdp_objective_gamma(.(orders), .(far()), .(far()), .(far()), .(far()), 3,
      .(one_of(TRUE, FALSE)))),
    bquote(rdp_objective_gaussian(.(orders), .(far()), .(far()), .(far()), .(far()),
      .(one_of(TRUE, FALSE)))),
    bquote(rdp_to_epsilon(.(orders), rep(.(far()), length(.(orders))), .(far_delta()))),
    bquote(rdp_to_delta(.(orders), rep(.(far()), length(.(orders))), .(far()))),
    bquote(zcdp_to_epsilon(.(far()), .(far_delta()))),
    bquote(zcdp_to_delta(.(far()), .(far()))),
    bquote(compose_pure(.(far()), .(far_delta()), .(one_of(1, 5, 100, 1e4)))),
    bquote(pld_delta(.(random_event()), .(far()))),
    bquote(pld_epsilon(.(random_event()), .(far_delta()))),
    bquote(rdp_network_walk(.(orders), .(one_of(2, 50, 1e6)), .(one_of(1, 3, 50)), .(far()),
      .(far()), .(far())))
  )
  bquote(check_finite(.(calls[[sample.int(length(calls), 1L)]])))
}

check_finite <- function(x) {
  x <- unlist(Filter(is.numeric, as.list(x)))
  if (length(x) && all(!is.nan(x)) && all(x >= 0)) "" else sprintf("not a cost: %s",
    paste(format(x), collapse = " "))
}

make_calibration <- function() {
  # the noise is what is sought: it stands where random_event() has a size
  event <- random_event(quote(noise))
  events <- if (stats::runif(1L) < 0.3) bquote(rep(.(event), .(one_of(2, 30)))) else event
  bquote(check_calibration(function(noise) .(events), .(far()), .(far_delta()),
    .(random_accountant())))
}

check_calibration <- function(events, epsilon, delta, accountant) {
  noise <- calibrate(events, epsilon, delta, accountant)
  spent <- account(events(noise), delta, accountant)$epsilon
  c(
    if (!is.finite(noise) || noise <= 0) sprintf("noise %g", noise),
    if (!(spent <= epsilon)) sprintf("spends %.17g of %.17g", spent, epsilon)
  )
}
