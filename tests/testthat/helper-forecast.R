# What to expect of the plan of a finished fit.

fit_forecast <- function(fit) {
  family <- sub("dpadmm_family_", "", grep("family", class(fit$method), value = TRUE))
  switch(family,
    decentralised = graph_fit_forecast(fit), consensus = fp_fit_forecast(fit),
    gradient_steps = steps_fit_forecast(fit), gradient = split_fit_forecast(fit)
  )
}

noise_sd_of <- function(fit, scale) {
  if (fit$public$mechanism == "gamma") sqrt(fit$public$d + 1) / scale else scale
}

graph_fit_forecast <- function(fit) {
  p <- fit$public
  plan <- fit$plan
  objective <- output <- matrix(0, p$N, p$iterations)
  if (is.list(fit$noise)) {
    objective[] <- noise_sd_of(fit, fit$noise$objective)
    output[] <- noise_sd_of(fit, fit$noise$output)
  } else if (plan$place == "objective") {
    objective[, plan$noisy] <- noise_sd_of(fit, fit$noise)
    objective <- objective * plan$amplify
  } else {
    output[, plan$noisy] <- noise_sd_of(fit, fit$noise)
  }
  test <- plan$test
  if (!is.null(test)) {
    ratio <- test$query_scale[1L] / test$threshold_scale[1L]
    test <- list(max_sends = test$max_sends, ratio = ratio)
  }
  dpadmm:::forecast_graph(plan$update, plan$eta, plan$theta, plan$gamma, objective, output,
    pull = rep(p$C, p$N), ridge = p$rho / p$N, network = fit$network, loss = p$loss,
    row_bound = p$row_bound, d = p$d, test = test
  )
}

penalty_curvature <- function(penalty) {
  at <- c(l2 = "lambda", elastic_net = "lambda2")[penalty$name]
  if (is.na(at)) 0 else penalty$parameters[[at]]
}

fp_fit_forecast <- function(fit) {
  p <- fit$public
  plan <- fit$plan
  share <- if (!is.null(plan$walk)) 1 / plan$n else if (plan$sample > 0) plan$sample / plan$n else 1
  block <- plan$noise == "block"
  dpadmm:::forecast_fp_admm(plan$rounds, plan$n, plan$lambda, plan$gamma,
    block_sd = if (block) fit$noise else 0, mean_sd = if (block) 0 else fit$noise,
    p$loss, p$row_bound, p$d, share, p$records / plan$n, penalty_curvature(p$penalty)
  )
}

steps_fit_forecast <- function(fit) {
  p <- fit$public
  set <- fit$method$parameters
  blocks <- if (fit$method$name == "dp_sgd") 1 else if (is.null(set$blocks)) p$d else set$blocks
  dpadmm:::forecast_steps(p$iterations, set$step, fit$noise, p$loss, p$row_bound, p$d,
    active = 1 / blocks, ridge = penalty_curvature(p$penalty), slope = set$clip
  )
}

split_fit_forecast <- function(fit) {
  p <- fit$public
  plan <- fit$plan
  sd <- noise_sd_of(fit, fit$noise)
  dpadmm:::forecast_split(utils::tail(sd, p$iterations), plan$eta, plan$rho, plan$gamma, p$C,
    p$loss, p$row_bound, p$d,
    accelerated = plan$accelerated && !fit$method$parameters$restart,
    average = plan$average == "mean", norm = sum(fit$constraint$A^2) / p$d,
    b = fit$constraint$b[1L], ridge = penalty_curvature(p$penalty),
    start_sd = if (length(sd) > p$iterations) sd[1L] else 0, slope = fit$method$parameters$clip
  )
}

# Normal numbers that depend on the seed alone; R's generator is left as it was.
seeded_normals <- function(n, seed) dpadmm:::with_r_seed(seed, rnorm(n))
