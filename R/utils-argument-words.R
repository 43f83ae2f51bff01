# Arguments that glm(), glmnet() and predict() have, and what they are called here.

.has_intervals <- "A fit with inference = TRUE has intervals: confint(), or tidy(conf.int = TRUE)."

.argument_words <- c(
  family = 'The loss says it: `loss` = "logistic" (or "binomial"), "huber", "hinge".',
  alpha = paste(
    "The mix of an elastic net is a penalty: penalty_elastic_net(), for fp_admm(), dp_sgd() and",
    "dp_cd()."
  ),
  maxit = "It is `iterations` here, and each of them costs privacy.",
  nlambda = "One fit has one penalty: a path of fits would pay for every one of them.",
  nfolds = "Each fold would be a fit that is paid for: choose settings from public numbers.",
  cv = "Each fold would be a fit that is paid for: choose settings from public numbers.",
  thresh = "The tolerance of a node's solver is dpadmm_control(tol =).",
  tol = "The tolerance of a node's solver is dpadmm_control(tol =).",
  tolerance = "The tolerance of a node's solver is dpadmm_control(tol =).",
  threads = "It is a setting of dpadmm_control(threads =).",
  row_bound = "It is a setting of dpadmm_control(row_bound =).",
  accountant = "It is a setting of dpadmm_control(accountant =).",
  standardize = "Columns are scaled from the bounds that `schema` states.",
  standardise = "Columns are scaled from the bounds that `schema` states.",
  scale = "Columns are scaled from the bounds that `schema` states.",
  subset = "Take the rows before: `data` = data[rows, ].",
  na.action = "What becomes of missing values is said to the fit: dpadmm_fit(na.action =).",
  contrasts = "Every level has an indicator of its own, as the penalty keeps the model unique.",
  start = "It is a setting of dpadmm_control(start =), and must be public.",
  model = "A fit keeps no record.",
  formula = "The formula comes first and has no name.",
  new_data = "It is `newdata` here.",
  newx = "It is `newdata` here.",
  se.fit = "A fit with inference = TRUE has standard errors: predict(se.fit = TRUE).",
  interval = "A fit with inference = TRUE has standard errors: predict(se.fit = TRUE).",
  conf.int = .has_intervals,
  conf.level = .has_intervals,
  exponentiate = "Odds ratios are exp() of estimates and of the ends of intervals.",
  threshold = 'Compare predict(type = "response") with it.',
  s = "A fit has one penalty."
)

#' What an unknown argument is called here, in words; or nothing.
#' @noRd
words_for <- function(name) {
  if (name %in% names(.argument_words)) paste0(" ", .argument_words[[name]])
}
