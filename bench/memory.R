# The memory of fits above what the user holds, rows and labels, in units of that: what the process
# has at its peak, less what it had before. Nearly all is taken before the first round is over, so
# two rounds do. Each case is a process of its own that reads its data from a file: memory that
# making them left behind would be used again, and not be seen. Linux only.
# Run: Rscript bench/memory.R [case ...]
suppressMessages(library(dpadmm))
source("bench/helpers.R")
control <- dpadmm_control(progress = FALSE)

labels <- function(n) rep_len(c(-1, 1, 1), n)
private <- function(..., rows) {
  suppressWarnings(dpadmm_fit(..., nodes = 5, epsilon = 1, delta = 1e-5, iterations = 2,
    rows = rows, control = control))
}

dense <- function(n, d) {
  list(function() list(x = matrix(stats::runif(n * d, -1, 1), n, d), y = labels(n)),
    function(data) private(data$x, data$y, rows = "shorten"))
}
# rows that miss a number are left out
with_holes <- function(n, d) {
  make <- dense(n, d)[[1L]]
  list(function() {
    data <- make()
    data$x[seq(7, n, 50), 3] <- NA
    data
  }, function(data) private(data$x, data$y, rows = "shorten", na.action = "omit"))
}
whole <- function(n, d) {
  list(function() list(x = matrix(sample.int(100L, n * d, TRUE) - 1L, n), y = labels(n)),
    function(data) private(data$x, data$y, rows = "shorten"))
}
sparse <- function(n, d, each, class = "CsparseMatrix") {
  list(function() {
    columns <- (outer(seq_len(each), seq_len(n)) * 7919) %% d + 1
    x <- Matrix::sparseMatrix(rep(seq_len(n), each = each), as.vector(columns),
      x = 1 / sqrt(each), dims = c(n, d), use.last.ij = TRUE
    )
    list(x = methods::as(x, class), y = labels(n))
  }, function(data) private(data$x, data$y, rows = "shorten", intercept = FALSE))
}
framed <- function(n, d) {
  list(function() cbind(as.data.frame(matrix(stats::runif(n * d), n)), y = labels(n)),
    function(data) {
      bounds <- rep(list(c(0, 1)), d)
      schema <- do.call(dpadmm_schema, stats::setNames(bounds, names(data)[seq_len(d)]))
      private(y ~ ., data, schema = schema, rows = "scale")
    })
}
levelled <- function(n) {
  list(function() {
    data.frame(a = stats::runif(n), g = factor(rep_len(letters, n)), k = rep_len(0:9, n),
      y = labels(n))
  }, function(data) {
    schema <- dpadmm_schema(a = c(0, 1), g = letters, k = c(0, 9))
    private(y ~ ., data, schema = schema, rows = "scale")
  })
}
counts <- function(n, d) {
  list(function() {
    cbind(as.data.frame(matrix(sample.int(100L, n * d, TRUE) - 1L, n)), y = labels(n))
  }, function(data) {
    bounds <- rep(list(c(0, 99)), d)
    schema <- do.call(dpadmm_schema, stats::setNames(bounds, names(data)[seq_len(d)]))
    private(y ~ ., data, schema = schema, rows = "scale")
  })
}
# the people of Adult, `times` over, some of whom do not say what they do or where they are from
people <- function(times) {
  list(function() {
    data <- adult[rep(seq_len(nrow(adult)), times), setdiff(names(adult), "origin")]
    rownames(data) <- NULL
    data
  }, function(data) {
    # range() copies whole numbers, which would be counted until R collects them
    bounds <- lapply(data, function(x) if (is.factor(x)) levels(x) else c(min(x), max(x)))
    unknown <- c("workclass", "occupation", "native_country")
    bounds[unknown] <- lapply(bounds[unknown], c, "?")
    impute <- stats::setNames(rep("?", length(unknown)), unknown)
    schema <- do.call(dpadmm_schema, c(bounds, list(impute = impute)))
    private(income ~ ., data, schema = schema, rows = "scale")
  })
}
# as in bench/fixed-point.R and bench/node-solver.R
central <- function(n, d) {
  list(function() list(x = matrix(stats::rnorm(n * d), n) / 10, y = labels(n)), function(data) {
    dpadmm_fit(data$x, data$y, method = fp_admm(gamma = 2), iterations = 3,
      noise = gaussian_noise(1e-3), delta = 1e-6, seed = 1, control = control, intercept = FALSE,
      rows = "shorten")
  }, 0.5)
}
exact <- list(function() adult_matrix("onehot"), function(adult) {
  suppressWarnings(dpadmm_fit(adult$x, adult$y, nodes = 5, method = r_admm(eta = 1, gamma = 0.5),
    C = 1750, rho = 0.22, iterations = 50, epsilon = Inf, seed = 1, control = control,
    intercept = FALSE, rows = "shorten"))
})

# what makes the data, the fit, and the target
cases <- list(
  "dense 1e6 x 20" = dense(1e6, 20),
  "dense 1e6 x 50" = dense(1e6, 50),
  "dense 4e5 x 50" = dense(4e5, 50),
  "dense 20,000 x 500" = dense(2e4, 500),
  "dense 20,000 x 1,000" = dense(2e4, 1000),
  "dense 4e5 x 20, some left out" = with_holes(4e5, 20),
  "dense 4e5 x 20, whole numbers" = whole(4e5, 20),
  "sparse 4e5 x 100, 14 a row" = sparse(4e5, 100, 14),
  "sparse 40,000 x 100, 14 a row" = sparse(4e4, 100, 14),
  "sparse 4e5 x 100, 14 a row, by row" = sparse(4e5, 100, 14, "RsparseMatrix"),
  "sparse 4e5 x 100, 14 a row, triplets" = sparse(4e5, 100, 14, "TsparseMatrix"),
  "frame 1e6 x 20" = framed(1e6, 20),
  "frame 4e5 x 50" = framed(4e5, 50),
  # columns of whole numbers and of factors are four bytes a record
  "frame 5e5 x 20, counts" = counts(5e5, 20),
  "frame 5e5 x 3, of 26 levels" = levelled(5e5),
  "frame, Adult" = people(1),
  "frame, Adult 10 times" = people(10),
  # where a record has few numbers, what solvers keep of it is nearly as much; where there are about
  # as many columns as numbers, each node's vectors are more than the records
  "dense 2e6 x 4" = dense(2e6, 4),
  "dense 2e6 x 1" = dense(2e6, 1),
  "frame 1e6 x 3" = framed(1e6, 3),
  "sparse 1e6 x 40, 2 a row" = sparse(1e6, 40, 2),
  "sparse 20,000 x 2e5, 50 a row" = sparse(2e4, 2e5, 50),
  "centralised, dense 1e6 x 50" = central(1e6, 50),
  "exact, Adult" = exact
)

measure <- function(name, file) {
  for (small in list(dense(200, 5), sparse(200, 20, 3), framed(200, 3), levelled(200),
    sparse(200, 20, 3, "RsparseMatrix"), sparse(200, 20, 3, "TsparseMatrix"))) {
    data <- small[[1L]]()
    for (k in 1:3) small[[2L]](data) # what is loaded or compiled once does not count
  }
  data <- readRDS(file)
  extra <- extra_memory(function() cases[[name]][[2L]](data), as.numeric(utils::object.size(data)))
  target <- c(cases[[name]][-(1:2)], 1.3)[[1L]]
  report(paste0(name, ", memory / data"), extra, target)
}

given <- commandArgs(TRUE)
if (identical(given[1L], "--measure")) {
  measure(given[2L], given[3L])
} else {
  file <- tempfile()
  for (name in if (length(given)) grep(paste(given, collapse = "|"), names(cases), value = TRUE)
    else names(cases)) {
    saveRDS(cases[[name]][[1L]](), file, compress = FALSE)
    # the C library gives back to the system at once what R lets go
    system2(file.path(R.home("bin"), "Rscript"),
      shQuote(c(this_script(), "--measure", name, file)), env = "MALLOC_MMAP_THRESHOLD_=65536")
  }
}
