#' @description
#' One model over the records of several data holders, none of whom may see another's, with a
#' privacy statement that is proved for what ran.
#'
#' @section Start here:
#' 1. `vignette("get-started")`: from a plan to a model and its privacy statement in ten minutes.
#' 2. [dpadmm_plan()]: what a fit will send, what that can tell of a record and whether to expect
#'    a useful model, from public numbers alone.
#' 3. [dpadmm_fit()]: runs a plan on records, or plans and runs in one step. What comes back:
#'    [predict()][predict.dpadmm_fit], [evaluate()], [plot()][plot.dpadmm_fit].
#' 4. [privacy()]: the statement of a plan or a fit.
#'
#' Then `vignette("which-method")` for what to choose when, `vignette("how-private")` for the
#' privacy that is really there, and `vignette("privacy-accounting")` for what is proved.
#'
#' @section Methods:
#' * [admm()], [m_admm()], [r_admm()], [mr_admm()] (the default): several holders, on a graph.
#' * [pp_admm()], [ipp_admm()]: the same with inexact solves, and sending only what helps.
#' * [fp_admm()]: many users, or several holders, with a server, or a walk from one to another;
#'   lasso and elastic net.
#' * [dp_sgd()], [dp_cd()], [grad_admm()], [acc_admm()]: one holder, or several and a hub that sums
#'   their noisy gradients.
#' * [fixed_point()], [general_admm()]: iterations of your own.
#'
#' @section Further:
#' [account()], [dp_event] and [calibrate()] work without a fit; [audit()] measures what a release
#' tells; [experiment()] runs a function over many settings; [dpadmm-conditions] lists errors and
#' warnings.
#'
#' @section Versions:
#' Numbers of versions are semantic: x.y.z has a larger z where faults were mended, y where
#' functions or arguments are new, x where something that worked has to be written in another way;
#' before 1.0.0 that may come with a larger y. `NEWS.md` has a section "What has changed" for it,
#' with what was and what is. From 0.2.0 on an argument that is to go is kept for one y, with a
#' warning that names its successor; after that it is an error, as every unknown argument is, and
#' never ignored. Results of a fit with `seed` may differ between versions, in which NEWS says so.
#' @examples
#' # two hospitals, before either opens its records
#' public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
#' dpadmm_plan(ill ~ age + smoker, public,
#'   sizes = c(north = 2500, south = 4000), epsilon = 1, delta = 1e-5
#' )
#' @keywords internal
#' @useDynLib dpadmm, .registration = TRUE
#' @importFrom stats AIC BIC anova coef confint deviance extractAIC fitted formula logLik
#' @importFrom stats model.frame model.matrix nobs predict residuals simulate terms update vcov
"_PACKAGE"

utils::globalVariables(".data") # the pronoun of ggplot2's aes()
