# The cases of tools/audit. A sound claim that a measured bound exceeds is a failure; each
# bound is wrong with probability 1e-5, so that chance alone fails hardly a night.
library(dpadmm)
arguments <- commandArgs(TRUE)
runs <- as.integer(arguments[1])
workers <- as.integer(arguments[2])
pattern <- arguments[3]

users <- function(method, ...) list(method = method, nodes = 2, ...)
alone <- function(method, ...) list(method = method, nodes = 1, ...)
gaussian_only <- function(case) c(case, list(noises = "gaussian"))
# a clip makes a loss without a bounded slope possible
clipped <- function(case) c(case, list(losses = c("logistic", "hinge", "huber", "squared")))
families <- list(
  admm = users(admm()), "admm, primal" = users(admm(perturb = "primal")), m_admm = users(m_admm()),
  r_admm = users(r_admm()), mr_admm = users(mr_admm()),
  "mr_admm, large steps" = users(mr_admm(eta = 0.03)), pp_admm = users(pp_admm()),
  "pp_admm, loose" = users(pp_admm(beta = 0.5)), ipp_admm = users(ipp_admm(threshold = 0.05)),
  grad_admm = alone(grad_admm()), acc_admm = alone(acc_admm()),
  "grad_admm, noisy start" = alone(grad_admm(init = "noisy-gradient"), penalty = penalty_l1(0.1)),
  "mr_admm, ring" = list(method = mr_admm(), nodes = 3, network = network_ring()),
  "r_admm, star" = list(method = r_admm(), nodes = 3, network = network_star()),
  "grad_admm, clip" = clipped(alone(grad_admm(clip = 0.3))),
  "acc_admm, clip" = clipped(alone(acc_admm(clip = 0.3))),
  "acc_admm, elastic net" = alone(acc_admm(), penalty = penalty_elastic_net(0.1, 0.1)),
  "fp_admm, clip" = clipped(gaussian_only(alone(fp_admm(clip = 0.3)))),
  "fp_admm, box" = gaussian_only(alone(fp_admm(), penalty = penalty_box(-1, 1))),
  "dp_sgd, clip" = clipped(gaussian_only(alone(dp_sgd(clip = 0.3)))),
  "dp_cd, clip" = clipped(gaussian_only(alone(dp_cd(clip = 0.3)))),
  fp_admm = gaussian_only(alone(fp_admm())),
  "fp_admm, lambda 0.2" = gaussian_only(alone(fp_admm(lambda = 0.2, gamma = 3))),
  "fp_admm, l1" = gaussian_only(alone(fp_admm(), penalty = penalty_l1(0.1))),
  "fp_admm, block" = gaussian_only(alone(fp_admm(noise = "block"))),
  "fp_admm, sampled" = gaussian_only(alone(fp_admm(setting = "federated", sample = 3))),
  "fp_admm, sampled block" = gaussian_only(alone(fp_admm(setting = "federated", sample = 3,
    noise = "block", view = "local"))),
  "fp_admm, step clip" = gaussian_only(alone(fp_admm(clip = 0.3, clip_on = "step"))),
  "fp_admm, walk" = gaussian_only(alone(fp_admm(setting = "decentralized", view = "local"))),
  "fp_admm, holders" = gaussian_only(users(fp_admm(), penalty = penalty_l1(0.1))),
  "fp_admm, holders, block" = gaussian_only(users(fp_admm(noise = "block"))),
  "fp_admm, holders, long steps" = gaussian_only(users(fp_admm(gamma = 20))),
  "fp_admm, whole holders" = gaussian_only(users(fp_admm(unit = "holder"))),
  dp_sgd = gaussian_only(alone(dp_sgd())),
  "dp_sgd, Poisson" = gaussian_only(alone(dp_sgd(batch = 2))),
  "dp_sgd, fixed" = gaussian_only(alone(dp_sgd(batch = 2, sampling = "fixed"))),
  dp_cd = gaussian_only(alone(dp_cd()))
)
extreme <- c("underflow", "overflow", "coding")
several <- c("labels", "curvature", "small-node", "sparse-vector", extreme)
kinds <- list("1" = c("labels", "outlier", extreme), "2" = several, "3" = several)
default_losses <- c("logistic", "hinge", "huber")

# what a method accepts and nobody would choose; calibrated, and with hardly any noise
extremes <- worst_case_methods(c(1e-30, 1e-17, 1e6, 1e30))
for (name in names(extremes)) {
  method <- extremes[[name]]
  pure <- !inherits(method, c("dpadmm_family_server", "dpadmm_family_descent"))
  shared <- inherits(method, "dpadmm_family_graph")
  families[[name]] <- c((if (shared) users else alone)(method), list(
    noises = c("gaussian", if (pure) "gamma", "hardly any"), losses = "huber",
    kinds = if (shared) "small-node" else "outlier"
  ))
}

cases <- list()
for (name in names(families)) {
  family <- families[[name]]
  combined <- expand.grid(
    kind = if (is.null(family$kinds)) kinds[[as.character(family$nodes)]] else family$kinds,
    loss = if (is.null(family$losses)) default_losses else family$losses,
    noise = if (is.null(family$noises)) c("gaussian", "gamma") else family$noises,
    stringsAsFactors = FALSE
  )
  for (k in seq_len(nrow(combined))) {
    row <- combined[k, ]
    title <- sprintf("%s, %s noise, %s loss, %s", name, row$noise, row$loss, row$kind)
    if (grepl(pattern, title)) cases[[title]] <- c(family, as.list(row))
  }
}

title_of_extreme <- function(title) any(startsWith(title, names(extremes)))

one <- function(title) {
  case <- cases[[title]]
  delta <- if (case$noise == "gamma") 0 else 0.01
  pair <- worst_case_neighbours(case$kind, n = max(6, 3 * case$nodes), nodes = case$nodes,
    numeric = case$loss %in% c("huber", "squared"))
  settings <- list(method = case$method, loss = case$loss, iterations = 3, delta = delta)
  if (case$noise == "hardly any") {
    settings$noise <- gaussian_noise(1e-20)
  } else {
    settings$epsilon <- 4
  }
  settings$penalty <- case$penalty
  settings$network <- case$network
  if (case$nodes > 1 && inherits(case$method, "dpadmm_family_graph")) settings$C <- 1
  release <- do.call(fit_release, settings)
  # as fit_release() takes records: as they are, long rows shortened
  plain <- list(intercept = FALSE, rows = "shorten", seed = 1)
  events <- tryCatch(do.call(dpadmm_fit, c(pair$data1, settings, plain))$events,
    dpadmm_error = identity)
  # settings far out may be refused, and numbers may leave the range
  if (inherits(events, "error") && title_of_extreme(title)) return(TRUE)
  if (inherits(events, "error")) stop(events)
  # the Gaussian bound refutes claims about plain Gaussian noise only
  bound <- if (all(events$mechanism == "gaussian")) "gaussian" else "clopper-pearson"
  a <- audit(release, pair$data1, pair$data2, runs = runs, delta = delta, bound = bound,
    confidence = 1 - 1e-5, seed = 1)
  report(title, a)
}

report <- function(title, a) {
  good <- !isTRUE(a$exceeds)
  cat(sprintf("%-6s %5.2f of %5.2f  %s\n", if (good) "ok" else "FAILED", a$epsilon, a$claimed,
    title))
  good
}
# Users' own operators and proximal functions; the data are slopes of linear losses.
slopes <- list(c(-1, 1, -1, 1, -1, 1), c(1, 1, -1, 1, -1, 1))
own <- list(
  fixed_point = function(data, seed) {
    fixed_point(function(u) u - 0.5 * (u + mean(data)), 0,
      sensitivity = 0.5 * 2 / 6, lambda = 0.4, iterations = 3, epsilon = 4, delta = 0.01,
      seed = seed
    )
  },
  general_admm = function(data, seed) {
    general_admm(function(w, gamma, M) w - gamma * mean(data), penalty_none(),
      u0 = 0, iterations = 4, lipschitz = 1, n = 6, epsilon = 4, delta = 0.01, seed = seed
    )
  },
  "general_admm, a start far out" = function(data, seed) {
    general_admm(prox_loss(matrix(c((1 + data[1]) / 2, 0, 0, 0)), c(1, 1, -1, 1), "logistic"),
      penalty_none(), u0 = 1e6, gamma = 1e-9, iterations = 2, epsilon = 0.5, delta = 0.01,
      seed = seed
    )
  }
)
for (name in names(own)) if (grepl(pattern, name)) cases[[name]] <- list(own = own[[name]])

one_own <- function(title) {
  release <- cases[[title]]$own
  released <- function(data, seed) as.vector(release(data, seed)$iterates)
  # so far out that it is refused, whatever the data
  refused <- vapply(slopes, function(data) {
    inherits(tryCatch(release(data, 1), dpadmm_error = identity), "dpadmm_error")
  }, NA)
  if (all(refused)) return(TRUE)
  a <- audit(released, slopes[[1]], slopes[[2]],
    runs = runs, delta = 0.01, bound = "gaussian", confidence = 1 - 1e-5, seed = 1,
    claim = privacy(release(slopes[[1]], 1))
  )
  report(title, a)
}

# Fits over sites, as their hub sees them: all messages, and all else that sites answer. A run takes
# far longer than one in memory, so there are fewer.
columns <- dpadmm_schema(x = c(-1, 1), y = c("no", "yes"))
records <- function(x, y) data.frame(x = x, y = rep_len(y, length(x)))
site_pairs <- list(
  alone = list(list(north = records(1, "yes"), south = records(numeric(4), c("no", "yes"))),
    list(north = records(1, "no"), south = records(numeric(4), c("no", "yes")))),
  curvature = list(list(north = records(c(1, 0, 0), "yes"), south = records(rep(1, 3), "no")),
    list(north = records(numeric(3), "yes"), south = records(rep(1, 3), "no")))
)
site_methods <- list(mr_admm = mr_admm(), "admm, primal" = admm(perturb = "primal"),
  r_admm = r_admm(), pp_admm = pp_admm(), ipp_admm = ipp_admm(threshold = 0.05),
  "fp_admm, block" = fp_admm(unit = "record", noise = "block"), grad_admm = grad_admm(),
  acc_admm = acc_admm(), dp_sgd = dp_sgd(), dp_cd = dp_cd())
for (name in names(site_methods)) for (kind in names(site_pairs)) {
  title <- sprintf("sites, %s, hinge loss, %s", name, kind)
  if (grepl(pattern, title)) {
    cases[[title]] <- list(sites = site_methods[[name]], kind = kind, loss = "hinge")
  }
}

one_over_sites <- function(title) {
  case <- cases[[title]]
  shared <- inherits(case$sites, "dpadmm_family_graph")
  release <- do.call(site_release, c(list(y ~ x - 1, columns, epsilon = 4, delta = 0.01,
    iterations = 3, method = case$sites, loss = case$loss), if (shared) list(C = 1)))
  pair <- site_pairs[[case$kind]]
  plan <- attr(release, "settle")(pair[[1]])
  bound <- if (all(plan$events$mechanism == "gaussian")) "gaussian" else "clopper-pearson"
  report(title, audit(release, pair[[1]], pair[[2]], runs = max(100, runs %/% 10), delta = 0.01,
    bound = bound, confidence = 1 - 1e-5, seed = 1))
}

good <- parallel::mclapply(names(cases), function(title) {
  case <- cases[[title]]
  audit_case <- if (!is.null(case$own)) one_own else one
  if (!is.null(case$sites)) audit_case <- one_over_sites
  tryCatch(audit_case(title), error = function(e) {
    cat(sprintf("FAILED %s: %s\n", title, conditionMessage(e)))
    FALSE
  })
}, mc.cores = workers, mc.preschedule = FALSE)
failed <- sum(!vapply(good, isTRUE, NA))
cat(sprintf("%d passed, %d failed\n", length(cases) - failed, failed))
quit(status = as.integer(failed > 0 || length(cases) == 0L))
