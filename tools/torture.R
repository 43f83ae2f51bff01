# What tools/torture runs: a call for every compiled routine that small data can reach.
#   plain       all of it
#   gctorture   all, with a garbage collection at every allocation inside a routine
#   fit         one fit
suppressMessages(library(dpadmm))
how <- commandArgs(TRUE)[1L]
package <- asNamespace("dpadmm")
reached <- character()

# every .Call() of the package goes through this
watched <- function(routine, ...) {
  if (is.list(routine)) reached <<- union(reached, routine$name)
  if (how == "gctorture") {
    gctorture(TRUE)
    on.exit(gctorture(FALSE))
  }
  base::.Call(routine, ...)
}
if (how != "fit") {
  for (name in ls(package, all.names = TRUE)) {
    f <- get(name, package)
    if (!is.function(f) || !".Call" %in% all.names(body(f))) next
    body(f) <- do.call(substitute, list(body(f), list(.Call = watched)))
    utils::assignInNamespace(name, f, "dpadmm")
  }
}
attach(package, warn.conflicts = FALSE) # as they are now

quiet <- function(code) suppressMessages(suppressWarnings(code))
n <- 12
x <- matrix(sin(seq_len(2 * n)), n) / 2
y <- rep_len(c(-1, 1), n)
sparse <- methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
fit <- function(...) quiet(dpadmm_fit(x, y, ..., iterations = 2, seed = 1, rows = "shorten"))

one_fit <- function() fit(method = "mr_admm", nodes = rep_len(1:2, n), epsilon = 1, delta = 1e-5)
if (how == "fit") {
  print(one_fit())
  quit()
}

for (name in names(methods_table())) {
  nodes <- if (on_graph(as_method(name))) list(nodes = rep_len(1:2, n))
  for (engine in c("local", "stepwise")) {
    do.call(fit, c(list(method = name, epsilon = 1, delta = 1e-5,
      control = dpadmm_control(engine = engine)), nodes))
  }
  do.call(fit, c(list(method = name, epsilon = Inf), nodes))
}
model <- one_fit()
predict(model, sparse, type = "link")
quiet(dpadmm_fit(sparse, y, nodes = 2, epsilon = 1, iterations = 2))
for (loss in c("huber", "hinge", "squared")) fit(method = "dp_sgd", loss = loss, epsilon = Inf)
for (noise in list(gaussian_noise(1), gamma_noise(1))) {
  fit(method = "admm", nodes = 2, noise = noise, delta = 1e-5)
}
for (mechanism in .mechanisms) {
  for (event in mechanism$examples(2)) {
    for (by in c("best", "rdp", "pld")) {
      tryCatch(account(event, 1e-5, by), dpadmm_error = function(e) NULL)
    }
  }
}
gaussian_sigma(1, 1e-5)
rdp_objective_gaussian(2, 1, 1, 0.1, 2)
quiet(dpadmm_fit(x, y, method = "dp_sgd", loss = "squared", epsilon = Inf)) # Newton's method
fit(method = fp_admm(setting = "federated", sample = 4), epsilon = 1, delta = 1e-5)
compose_pure(0.1, 1e-5, 5)
fixed_point(operator_affine(diag(2) / 2), c(1, 1), iterations = 2)
for (made in list(operator_gradient(x, y, step = 0.1), operator_admm(x, y))) {
  d <- made$d
  fixed_point(made, numeric(d), iterations = 2)
}
frame <- data.frame(age = 20:59, ill = rep_len(c("no", "yes"), 40))
columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
records <- dpadmm_records(frame, ill ~ age, columns)
quiet(dpadmm_fit(records, nodes = 2, epsilon = 1, iterations = 2))
network_random(5, 0.5)

known <- names(getDLLRegisteredRoutines("dpadmm")$.Call)
cat(sprintf("%d of %d routines reached\n", length(intersect(known, reached)), length(known)))
cat(sprintf("not reached: %s\n", paste(setdiff(known, reached), collapse = ", ")))
