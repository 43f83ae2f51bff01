# Cases of tools/fuzz: files that are not what they should be. A whole file of each kind is made
# once, and its bytes are changed.

fuzz_file <- new.env()

#' The bytes of a good file.
good_bytes <- function(kind) {
  if (is.null(fuzz_file[[kind]])) fuzz_file[[kind]] <- good_makers[[kind]]()
  fuzz_file[[kind]]
}

as_bytes <- function(...) charToRaw(paste0(c(...), "\n", collapse = ""))

saved_bytes <- function(write) {
  file <- tempfile()
  on.exit(unlink(file))
  write(file)
  readBin(file, "raw", file.size(file))
}

fuzz_frame <- function(n = 40) {
  data.frame(age = rep_len(c(20, 35.5, 80), n), sex = rep_len(c("f", "m"), n),
    ill = rep_len(c("no", "no", "yes"), n), h = rep_len(1:2, n))
}
fuzz_schema <- dpadmm_schema(age = c(18, 100), sex = c("f", "m"), ill = c("no", "yes"))

good_makers <- list(
  libsvm = function() as_bytes("+1 1:0.5 3:2  # a comment", "", "-1 2:1 7:-3e-2", "0 qid:3 1:.5"),
  gzip = function() saved_bytes(function(file) {
    con <- gzfile(file, "wb")
    writeBin(good_bytes("libsvm"), con)
    close(con)
  }),
  bzip2 = function() memCompress(good_bytes("libsvm"), "bzip2"),
  xz = function() memCompress(good_bytes("libsvm"), "xz"),
  bio = function() as_bytes(vapply(1:3, function(k) {
    paste(c(k, 2 * k, c("0", "1", "?")[k], sprintf("%.3g", sin(seq_len(74) * k))), collapse = "\t")
  }, "")),
  census = function() as_bytes("SEX,AGE,INCTOT", "1,30,26000", "2,51,12000", "\"2\",8,9999999"),
  policy = function() {
    readBin(system.file("policy.dcf", package = "dpadmm"), "raw", 1e5)
  },
  experiment = function() saved_bytes(function(file) {
    experiment(data.frame(a = c(1, 2.5)), function(a, seed) data.frame(b = a), 2,
      file = file)
  }),
  records = function() saved_bytes(function(file) {
    dpadmm_records(fuzz_frame(), ill ~ age + sex, fuzz_schema, nodes = ~h, file = file)
  }),
  ledger = function() saved_bytes(function(file) {
    ledger <- dpadmm_ledger(file, "icu", epsilon = 3, delta = 1e-5)
    fuzz_fit_of(ledger = ledger, epsilon = 1)
  }),
  journal = function() saved_bytes(function(file) {
    sites <- sites_local(list(a = fuzz_frame(), b = fuzz_frame()), fuzz_schema, epsilon = 9,
      simulation = TRUE)
    dpadmm_fit(ill ~ age + sex, sites, epsilon = 1, iterations = 2, seed = 1, save = file)
  })
)

fuzz_fit_of <- function(...) {
  suppressWarnings(dpadmm_fit(ill ~ age + sex, fuzz_frame(), nodes = ~h, schema = fuzz_schema,
    iterations = 2, ...))
}

#' What is done with a file.
readers <- list(
  libsvm = function(file) read_libsvm(file), bio = function(file) read_bio_train(file),
  census = function(file) {
    read_census(file, "INCTOT", 25000, dpadmm_schema(SEX = c("1", "2"), AGE = c(0, 100)),
      missing = list(INCTOT = "9999999"))
  },
  policy = function(file) site_policy_file(file),
  experiment = function(file) read_experiment(file),
  records = function(file) {
    records <- dpadmm_records(file)
    utils::capture.output(print(records), print(summary(records)))
    suppressWarnings(dpadmm_fit(records, epsilon = 1, delta = 1e-5, iterations = 2, seed = 1))
  },
  ledger = function(file) {
    report <- suppressWarnings(ledger_report(dpadmm_ledger(file, "icu")))
    utils::capture.output(print(report))
  },
  journal = function(file) {
    dpadmm_resume(file, sites_local(list(a = fuzz_frame(), b = fuzz_frame()), fuzz_schema,
      epsilon = 9, simulation = TRUE))
  }
)

make_reader <- function() {
  kind <- one_of("libsvm", "libsvm", "gzip", "bzip2", "xz", "bio", "census", "census", "policy",
    "policy", "experiment", "records", "ledger", "journal")
  bquote(check_reader(.(kind), .(sample.int(1e9L, 1L)), .(one_of(1, 1, 2, 5, 40))))
}

check_reader <- function(kind, seed, changes) {
  file <- tempfile()
  on.exit(unlink(paste0(file, c("", "-wal", "-shm", ".new"))))
  writeBin(changed_bytes(good_bytes(kind), seed, changes), file)
  as <- if (kind %in% c("gzip", "bzip2", "xz")) "libsvm" else kind
  found <- readers[[as]](file)
  numbers <- unlist(found[intersect(c("x", "y", "coefficients"), names(found))])
  numbers <- unlist(lapply(numbers, function(x) if (methods::is(x, "dgCMatrix")) x@x else x))
  if (as != "bio" && is.numeric(numbers) && !all(is.finite(numbers))) "numbers that are not finite"
}

#' Bytes with some changes: one changed, put in, left out; some twice, or words in their place.
changed_bytes <- function(bytes, seed, changes) {
  words <- c("NA", "NaN", "1e999", "-", ":", "1:", "\"", ",", "\r\n", "\n", "\n\n", "\\", "0x1p3",
    "\ufeff", "\u00e9", "99999999999", "1e-320", "TRUE", " ", "\t", "#", "{", "[", "null")
  dpadmm:::with_r_seed(seed, local({
    for (k in seq_len(changes)) {
      n <- length(bytes)
      if (n == 0L) break
      at <- sample.int(n, 1L)
      to <- min(n, at + sample.int(40L, 1L))
      bytes <- switch(sample.int(6L, 1L),
        replace(bytes, at, as.raw(sample.int(256L, 1L) - 1L)),
        append(bytes, as.raw(sample.int(256L, 1L) - 1L), at),
        bytes[-(at:to)], c(bytes[seq_len(to)], bytes[at:n]),
        append(bytes, charToRaw(sample(words, 1L)), at - 1L),
        if (k == 1L && stats::runif(1L) < 0.3) bytes[seq_len(at)] else rev(bytes[at:to])
      )
    }
    bytes
  }))
}

#' The text of a plan, changed: another plan, or an error.
make_text <- function() {
  bquote(check_text(.(sample.int(1e9L, 1L)), .(one_of(1, 1, 2, 5))))
}

check_text <- function(seed, changes) {
  plan <- dpadmm_plan(ill ~ age + sex, fuzz_schema, c(a = 30, b = 40), epsilon = 1, delta = 1e-5,
    method = admm(eta = 2), iterations = 3)
  text <- changed_bytes(charToRaw(dpadmm:::plan_recipe(plan)), seed, changes)
  text <- dpadmm:::text_from_wire(dpadmm:::to_wire(text))
  if (is.null(text)) return(NULL)
  found <- dpadmm:::recipe_plan(text)
  if (!all(is.finite(unlist(found$scales)))) "a plan that is not finite"
}
