# Parties one by one, by an engine of R functions, against the compiled run.

graph_case <- function(T = 5L) {
  set.seed(3)
  size <- c(6L, 8L, 5L)
  x <- matrix(rnorm(sum(size) * 4), ncol = 4) / 3
  list(
    x = x, y = ifelse(x[, 1] + 0.3 * rnorm(nrow(x)) > 0, 1, -1), size = size, key = noise_key(4),
    spec = list(
      parties = 3L, d = 4L, rounds = T, keep = TRUE, threads = 1L, loss = "logistic", width = 0,
      weight = 2 / size, ridge = 0.1, clip = Inf,
      rule = rep(match("exact", .Call(ffi_rules)) - 1L, T), eta = matrix(0.5, 3, T),
      theta = matrix(0.5, 3, T), gamma = rep(0, 3), tol = matrix(1e-9, 3, T),
      mechanism = "gaussian",
      objective_scale = matrix(0.2, 3, T), output_scale = matrix(0.01, 3, T), relay = "graph",
      network = list(start = c(0L, 1L, 3L, 4L), neighbour = c(1L, 0L, 2L, 1L))
    )
  )
}

records_of <- function(case, rows, size) {
  list(x = case$x[rows, ], y = case$y[rows], size = size, row_bound = 1, layout = "packed")
}

open_parties <- function(case) {
  lapply(1:3, function(i) {
    rows <- rep(1:3, case$size) == i
    own <- .Call(ffi_key_party, case$key, i)
    .Call(ffi_party_open, case$spec, i, records_of(case, rows, NULL), own)
  })
}

test_that("an engine of R functions gives the compiled run, saved and loaded on the way", {
  case <- graph_case()
  local <- .Call(ffi_run, case$spec, records_of(case, TRUE, case$size), case$key, NULL)
  expect_null(attr(local$status, "kind"))
  for (cache in c(TRUE, FALSE)) {
    parties <- open_parties(case)
    answers <- vector("list", 3)
    case$spec$engine <- list(
      submit = function(party, round, inbox) {
        saved <- .Call(ffi_party_save, parties[[party]], cache)
        parties[[party]] <<- open_parties(case)[[party]]
        core_call(.Call(ffi_party_load, parties[[party]], saved))
        answers[[party]] <<- .Call(ffi_party_step, parties[[party]], round, inbox)
        again <- .Call(ffi_party_step, parties[[party]], round, inbox + 1)
        expect_identical(again, answers[[party]])
        refused <- .Call(ffi_party_step, parties[[party]], round - 1L, inbox)
        expect_identical(attr(refused$status, "kind"), "argument")
      },
      collect = function(party) answers[[party]][c("values", "sent")]
    )
    far <- .Call(ffi_run, case$spec, NULL, case$key, NULL)
    expect_null(attr(far$status, "kind"))
    if (cache) {
      same <- c("f", "iterates", "gap", "step")
      expect_identical(far[same], local[same])
    } else {
      expect_equal(far$iterates, local$iterates, tolerance = 1e-7)
    }
    for (party in parties) expect_null(attr(.Call(ffi_party_close, party), "kind"))
    closed <- .Call(ffi_party_step, parties[[1]], 1L, numeric(4))
    expect_identical(attr(closed, "kind"), "argument")
  }
})

test_that("an engine ends a run with a condition, and its errors do not jump", {
  case <- graph_case()
  stop_at <- function(collect) {
    case$spec$engine <- list(submit = function(party, round, inbox) NULL, collect = collect)
    .Call(ffi_run, case$spec, NULL, case$key, NULL)
  }
  gone <- simpleCondition("gone")
  run <- stop_at(function(party) if (party < 3) list(values = numeric(4), sent = TRUE) else gone)
  expect_identical(attr(run$status, "kind"), "engine")
  expect_identical(run$condition, gone)
  expect_identical(c(run$begun, run$done), c(1L, 0L))
  run <- stop_at(function(party) stop("broken"))
  expect_identical(attr(run$status, "kind"), "engine")
  expect_match(conditionMessage(run$condition), "broken")
  for (bad in list(list(values = numeric(3), sent = TRUE), list(values = 1:4, sent = TRUE),
    list(values = numeric(4)), NULL, list(values = numeric(4), sent = NA))) {
    run <- stop_at(function(party) bad)
    expect_identical(attr(run$status, "kind"), "engine")
    expect_null(run$condition)
  }
  run <- stop_at(function(party) list(values = c(1, 2, 3, NaN), sent = TRUE))
  expect_identical(attr(run$status, "kind"), "finite")
})

test_that("what does not fit is a status that names it, whatever it is", {
  case <- graph_case()
  good <- records_of(case, TRUE, case$size)
  named <- function(spec = case$spec, records = good, key = case$key) {
    answer <- .Call(ffi_run, spec, records, key, NULL)
    if (is.list(answer)) answer <- answer$status
    expect_identical(attr(answer, "kind"), "argument")
    attr(answer, "argument")
  }
  # every element of the list: missing, of a wrong type, of a wrong length, out of range
  optional <- c("eta", "theta", "gamma", "tol", "mechanism", "objective_scale", "start")
  for (name in names(case$spec)) {
    for (value in c(list(NULL)[!name %in% optional], list("a", TRUE, -3, NaN, list(), 1:7)[c(
      !is.character(case$spec[[name]]), !is.logical(case$spec[[name]]), TRUE, TRUE, TRUE,
      name != "keep"
    )])) {
      if (identical(value, "a") && name %in% c("loss", "relay", "mechanism")) next
      if (identical(value, list()) && name == "network") next # a complete one has no lists
      spec <- case$spec
      spec[name] <- list(value)
      expect_false(is.null(named(spec)), info = paste(name, deparse(value)))
    }
  }
  for (spec in list(NULL, 1, list(), list(1), "a")) expect_false(is.null(named(spec)))
  for (name in setdiff(names(good), "size")) {
    for (value in list(NULL, "a", NaN, list(), -1L)) {
      records <- good
      records[name] <- list(value)
      expect_identical(named(records = records), name)
    }
  }
  records <- good
  records$size <- c(6L, 8L, 6L)
  expect_identical(named(records = records), "size")
  for (holder in list(rep(1L, nrow(case$x) - 1L), rep(0L, nrow(case$x)), rep("1", nrow(case$x)),
    rep(nrow(case$x) + 1L, nrow(case$x)))) {
    expect_identical(named(records = c(good, list(holder = holder))), "holder")
  }
  sparse <- Matrix::Matrix(case$x, sparse = TRUE)
  slots <- list(p = sparse@p, i = sparse@i, x = sparse@x, Dim = sparse@Dim)
  for (change in list(list(i = slots$i + 100L), list(p = rev(slots$p)), list(p = slots$p[-1]),
    list(Dim = c(19L, 400L)), list(x = slots$x[-1]), list(i = -slots$i - 1L))) {
    records <- good
    records$x <- utils::modifyList(slots, change)
    expect_identical(named(records = records), "x")
  }
  expect_null(named(key = raw(3)))
  for (entry in list(
    quote(.Call(ffi_loss, "no such", 0, 1, 1)), quote(.Call(ffi_loss, NULL, 0, 1, 1)),
    quote(.Call(ffi_loss, "logistic", 0, c(1, 2), 1)), quote(.Call(ffi_prox, "l1", 1, 1, 1)),
    quote(.Call(ffi_penalty_values, "cauchy", c(1, 1), diag(2), NULL)),
    quote(.Call(ffi_loss_constants, 1, 1)),
    quote(.Call(ffi_walk, raw(3), 3, 4)), quote(.Call(ffi_sample, noise_key(1), 1, 3, 9, FALSE)),
    quote(.Call(ffi_permutation, noise_key(1), -1)), quote(.Call(ffi_split, noise_key(1), -1L)),
    quote(.Call(ffi_components, 1L, 2L)),
    quote(.Call(ffi_components, c(0L, 1L), 5L)), quote(.Call(ffi_affine, diag(2), 1, c(1, 2), 3L)),
    quote(.Call(ffi_gradient, list(), list(), 1, NULL)), quote(.Call(ffi_row_measure, 1, 1, 1)),
    quote(.Call(ffi_shortening, diag(2), 1)),
    quote(.Call(ffi_party_step, 1, 1, 1)), quote(.Call(ffi_party_save, NULL, TRUE)),
    quote(.Call(ffi_party_open, list(), 1, NULL, raw(32))),
    quote(.Call(ffi_key_party, noise_key(1), 0)))) {
    expect_identical(attr(eval(entry), "kind"), "argument", info = deparse(entry))
  }
})

test_that("records are dealt out in turns, in the order of the permutation", {
  key <- noise_key(3)
  for (size in list(c(4, 4, 4), c(5, 4), c(1, 7, 0, 3), 6, c(0, 2))) {
    turns <- sequence(size)
    party <- rep(seq_along(size), size)
    index <- integer(sum(size))
    index[.Call(ffi_permutation, key, sum(size))] <- party[order(turns, party)]
    expect_identical(split_at_random(size, key), index)
  }
  expect_error(split_at_random(c(1e9, 1e9, 1e9), key), class = "dpadmm_error_argument")
})

test_that("a random split that is dealt out in the core is the one that R knows", {
  x <- matrix(sin(seq_len(300) * 1.7), 100)
  records <- list(x = x / 2, y = rep(c(1, -1, 1, 1), 25))
  plan <- dpadmm_plan(3, sizes = c(50, 20, 30), method = mr_admm(), epsilon = 1, delta = 1e-5,
    iterations = 3)
  drawn <- list(key = noise_key(8), size = c(50, 20, 30))
  known <- list(index = record_index(drawn), size = drawn$size)
  of <- function(held) run_plan(plan, records, held, noise_key(2))$f
  expect_identical(tabulate(known$index), c(50L, 20L, 30L))
  expect_identical(of(drawn), of(known))
  expect_false(identical(of(drawn), of(list(key = noise_key(9), size = drawn$size))))
  given <- dpadmm:::core_records(plan, records, drawn)
  expect_null(given$holder)
  for (split in list(list(key = raw(3), size = c(50L, 20L, 30L)), list(key = noise_key(1)),
    list(key = noise_key(1), size = c(50L, 20L, 31L)),
    list(key = noise_key(1), size = c(101L, -1L, 0L)))) {
    given$split <- split
    expect_error(dpadmm:::run_core(plan, given, noise_key(2), FALSE, 1L, NULL),
      class = "dpadmm_error_argument")
  }
  expect_identical(record_index(list(size = 3)), c(1L, 1L, 1L))
})

test_that("rows of few and of many unlike lengths are shortened each by its own factor", {
  direction <- matrix(sin(seq_len(800) * 1.3), 200)
  direction <- direction / sqrt(rowSums(direction^2))
  y <- rep(c(1, -1, 1, 1, -1), 40)
  fit <- function(x, nodes) {
    coef(dpadmm_fit(x, y, nodes = nodes, method = r_admm(), epsilon = Inf, lambda = 1e-3,
      iterations = 5, seed = 1, rows = "shorten", intercept = FALSE))
  }
  shorter <- function(x) x / pmax(1, sqrt(rowSums(x^2)))
  # kinds: one, two, few, more than have numbers, and more only towards the end
  lengths <- list(rep(3, 200), rep(c(0.5, 2), 100), rep(c(2, 1.5, 0.7, 4), 50),
    seq(0.1, 5, length.out = 200), c(rep(0.5, 150), seq(1.1, 5, length.out = 50)))
  for (length in lengths) for (nodes in list(3, rep(1:2, each = 100))) {
    x <- direction * length
    expect_equal(fit(x, nodes), fit(shorter(x), nodes), tolerance = 1e-9)
    expect_equal(fit(Matrix::Matrix(x, sparse = TRUE), nodes), fit(x, nodes), tolerance = 1e-9)
  }
})

test_that("columns of rows from a frame are numbered in two bytes, and those beyond are refused", {
  # columns of zeros but for a record each, of which sparse rows have nothing
  data <- data.frame(g = factor(rep(letters[1:4], 10)), diag(40), y = rep(c(1, -1), 20))
  schema <- do.call(dpadmm_schema, c(list(g = letters[1:4]),
    stats::setNames(rep(list(c(-1, 1)), 40), paste0("X", 1:40))))
  fit <- dpadmm_fit(y ~ ., data, schema, nodes = 2, method = r_admm(), epsilon = Inf, lambda = 0.1,
    iterations = 3, seed = 1)
  held <- list(index = rep(1:2, 20), size = fit$plan$problem$size)
  variables <- data[names(data) != "y"]
  records <- list(x = dpadmm:::frame_rows(fit$plan$problem$blueprint, variables), y = data$y)
  given <- dpadmm:::core_records(fit$plan, records, held)
  run <- function(given) dpadmm:::run_core(fit$plan, given, noise_key(1), FALSE, 1L, NULL)$f
  expect_identical(typeof(given$x$i), "raw")
  expect_identical(given$layout, "rows")
  found <- run(given)
  # as whole numbers they are the same, and so is a matrix of them
  whole <- given
  whole$x$i <- readBin(given$x$i, "integer", length(given$x$i) / 2, size = 2, signed = FALSE)
  expect_identical(run(whole), found)
  spoilt <- list(
    replace(given$x, "i", list(replace(given$x$i, 3:4, as.raw(255)))),
    replace(given$x, "i", list(given$x$i[1:20])), replace(given$x, "i", list(raw()))
  )
  for (x in spoilt) {
    expect_error(run(replace(given, "x", list(x))), class = "dpadmm_error_argument")
  }
  expect_error(run(replace(given, "layout", "packed")), class = "dpadmm_error_argument")
})

test_that("rows that are left out must be flags, and whole numbers are packed only", {
  case <- graph_case()
  given <- records_of(case, TRUE, case$size)
  run <- function(...) {
    given[names(list(...))] <- list(...)
    found <- core_call(.Call(ffi_run, case$spec, given, case$key, NULL))
    core_call(found$status)
    found$f
  }
  n <- nrow(case$x)
  left <- replace(logical(n), 3, TRUE)
  expect_identical(run(x = replace(case$x, 3 + n * 0:3, NA), left = left),
    run(x = replace(case$x, 3 + n * 0:3, 0)))
  for (bad in list(left[-1], as.integer(left), "x", TRUE)) {
    expect_error(run(left = bad), class = "dpadmm_error_argument")
  }
  sparse <- dpadmm:::matrix_slots(methods::as(case$x, "CsparseMatrix"))
  expect_error(run(x = sparse, left = left), class = "dpadmm_error_argument")
  whole <- round(3 * case$x)
  number <- whole
  storage.mode(whole) <- "integer"
  expect_identical(run(x = whole), run(x = number))
  expect_error(run(x = t(whole), layout = "rows"), class = "dpadmm_error_argument")
  expect_error(run(x = matrix("1", n, 4)), class = "dpadmm_error_argument")
  expect_error(core_call(.Call(ffi_row_measure, whole, 1, 1)), class = "dpadmm_error_argument")
})
