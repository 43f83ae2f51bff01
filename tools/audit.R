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
families <- list(
  admm = users(admm()), "admm, primal" = users(admm(perturb = "primal")), m_admm = users(m_admm()),
  r_admm = users(r_admm()), mr_admm = users(mr_admm()),
  "mr_admm, large steps" = users(mr_admm(eta = 0.02)), pp_admm = users(pp_admm()),
  "pp_admm, loose" = users(pp_admm(beta = 0.5)), ipp_admm = users(ipp_admm(threshold = 0.05)),
  grad_admm = alone(grad_admm()), acc_admm = alone(acc_admm()),
  "grad_admm, noisy start" = alone(grad_admm(init = "noisy-gradient"), penalty = penalty_l1(0.1)),
  "grad_admm, clip" = alone(grad_admm(clip = 0.3)),
  fp_admm = gaussian_only(alone(fp_admm())),
    "fp_admm, lambda 0.2" = gaussian_only(alone(fp_admm(lambda = 0.2, gamma = 3))),
  "fp_admm, l1" = gaussian_only(alone(fp_admm(), penalty = penalty_l1(0.1))),
  "fp_admm, block" = gaussian_only(alone(fp_admm(noise = "block"))),
  "fp_admm, sampled" = gaussian_only(alone(fp_admm(setting = "federated", sample = 3))),
  "fp_admm, sampled block" = gaussian_only(alone(fp_admm(setting = "federated", sample = 3,
    noise = "block", view = "local"))),
  "fp_admm, step clip" = gaussian_only(alone(fp_admm(clip = 0.3, clip_on = "step"))),
  "fp_admm, walk" = gaussian_only(alone(fp_admm(setting = "decentralized", view = "local"))),
  dp_sgd = gaussian_only(alone(dp_sgd())),
    "dp_sgd, Poisson" = gaussian_only(alone(dp_sgd(batch = 2))),
  "dp_sgd, fixed" = gaussian_only(alone(dp_sgd(batch = 2, sampling = "fixed"))),
  dp_cd = gaussian_only(alone(dp_cd()))
)
kinds <- list("2" = c("labels", "curvature", "small-node", "sparse-vector"), "1" = c("labels",
  "outlier"))

cases <- list()
for (name in names(families)) {
  family <- families[[name]]
  for (noise in if (is.null(family$noises)) c("gaussian", "gamma") else family$noises) {
    for (loss in c("logistic", "hinge",
      "huber")) for (kind in kinds[[as.character(family$nodes)]]) {
      title <- sprintf("%s, %s noise, %s loss, %s", name, noise, loss, kind)
      if (grepl(pattern, title)) cases[[title]] <- c(family, list(noise = noise, loss = loss,
        kind = kind))
    }
  }
}

one <- function(title) {
  case <- cases[[title]]
  delta <- if (case$noise == "gaussian") 0.01 else 0
  pair <- worst_case_neighbours(case$kind, n = 6, nodes = case$nodes,
    numeric = case$loss == "huber")
  settings <- list(method = case$method, loss = case$loss, iterations = 3, epsilon = 4,
    delta = delta)
  settings$penalty <- case$penalty
  if (case$nodes > 1) settings$C <- 1
  release <- do.call(fit_release, settings)
  events <- do.call(dpadmm_fit, c(pair$data1, settings, seed = 1))$events
  # the Gaussian bound refutes claims about plain Gaussian noise only
  bound <- if (all(events$mechanism == "gaussian")) "gaussian" else "clopper-pearson"
  a <- audit(release, pair$data1, pair$data2, runs = runs, delta = delta, bound = bound,
    confidence = 1 - 1e-5, seed = 1)
  good <- !isTRUE(a$exceeds)
  cat(sprintf("%-6s %5.2f of %5.2f  %s\n", if (good) "ok" else "FAILED", a$epsilon, a$claimed,
    title))
  good
}
good <- parallel::mclapply(names(cases), function(title) {
  tryCatch(one(title), error = function(e) {
    cat(sprintf("FAILED %s: %s\n", title, conditionMessage(e)))
    FALSE
  })
}, mc.cores = workers, mc.preschedule = FALSE)
failed <- sum(!vapply(good, isTRUE, NA))
cat(sprintf("%d passed, %d failed\n", length(cases) - failed, failed))
quit(status = as.integer(failed > 0 || length(cases) == 0L))
