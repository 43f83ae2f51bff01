# The memory of default private fits above what the user holds, in units of that: the peak of R's
# heap, of which the core's memory is a part, less what was there before. All of it is taken before
# the first round is over, so two rounds do. Run: Rscript bench/memory.R [case ...]
library(dpadmm)
source("bench/helpers.R")

fit <- function(..., rows) {
  suppressWarnings(dpadmm_fit(...,
    nodes = 5, epsilon = 1, delta = 1e-5, iterations = 2, rows = rows,
    control = dpadmm_control(progress = FALSE)
  ))
}
labels <- function(n) rep_len(c(-1, 1, 1), n)

dense <- function(n, d) {
  x <- matrix(stats::runif(n * d, -1, 1), n, d)
  y <- labels(n)
  list(size = utils::object.size(x), fit = function() fit(x, y, rows = "shorten"))
}
sparse <- function(n, d, each) {
  columns <- (outer(seq_len(each), seq_len(n)) * 7919) %% d + 1
  x <- Matrix::sparseMatrix(rep(seq_len(n), each = each), as.vector(columns),
    x = 1 / sqrt(each), dims = c(n, d), use.last.ij = TRUE
  )
  y <- labels(n)
  list(size = utils::object.size(x), fit = function() {
    fit(x, y, rows = "shorten", intercept = FALSE)
  })
}
framed <- function(n, d) {
  data <- as.data.frame(matrix(stats::runif(n * d), n))
  schema <- do.call(dpadmm_schema, stats::setNames(rep(list(c(0, 1)), d), names(data)))
  data$y <- labels(n)
  list(size = utils::object.size(data), fit = function() {
    fit(y ~ ., data, schema = schema, rows = "scale")
  })
}
small <- list(dense = function() dense(200, 5), sparse = function() sparse(200, 20, 3),
  frame = function() framed(200, 3))
cases <- list(
  "dense 1e6 x 20" = function() dense(1e6, 20),
  "dense 1e6 x 50" = function() dense(1e6, 50),
  "dense 4e5 x 50" = function() dense(4e5, 50),
  "dense 20,000 x 500" = function() dense(2e4, 500),
  "dense 20,000 x 1,000" = function() dense(2e4, 1000),
  "sparse 4e5 x 100, 14 a row" = function() sparse(4e5, 100, 14),
  "sparse 40,000 x 100, 14 a row" = function() sparse(4e4, 100, 14),
  "frame 1e6 x 20" = function() framed(1e6, 20),
  "frame 4e5 x 50" = function() framed(4e5, 50)
)
given <- commandArgs(TRUE)
for (make in small) for (k in 1:3) make()$fit() # nor what is loaded or compiled once
for (name in if (length(given)) grep(paste(given, collapse = "|"), names(cases), value = TRUE)
  else names(cases)) {
  case <- cases[[name]]()
  report(paste0(name, ", memory / data"), extra_memory(case$fit, as.numeric(case$size)), 1.3)
  rm(case)
}
