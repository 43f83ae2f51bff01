# The vignettes' code as a reader gets it: what a page shows is what its script has (tools/pages.R
# runs all scripts; here what is quick), verdicts that stand on several settings, and tuning that
# has not stopped at the edge of a grid.

vignettes <- test_path("..", "..", "vignettes")
pages <- list.files(vignettes, "[.]Rmd$", full.names = TRUE)

#' A page's script.
script_of <- function(page) {
  skip_if_not_installed("knitr")
  file <- tempfile(fileext = ".R")
  here <- setwd(dirname(page)) # chunks are read from inst/experiments
  on.exit({
    setwd(here)
    knitr::knit_code$restore()
  })
  knitr::purl(basename(page), file, quiet = TRUE, documentation = 0L)
  file
}

test_that("every page's script defines what it uses, whatever hidden chunks define", {
  skip_on_cran()
  skip_if(length(pages) == 0, "the vignettes are not beside the tests")
  for (page in pages) {
    code <- parse(script_of(page), keep.source = FALSE)
    packages <- unlist(lapply(code, function(e) {
      if (is.call(e) && identical(e[[1L]], quote(library))) as.character(e[[2L]])
    }))
    skip_if_not(all(vapply(packages, requireNamespace, NA, quietly = TRUE)), "a package of a page")
    expect_true("dpadmm" %in% packages, label = paste(basename(page), "attaches dpadmm"))
    base <- c("base", "stats", "graphics", "grDevices", "utils", "datasets", "methods")
    known <- unlist(lapply(c(packages, base), function(package) {
      c(getNamespaceExports(package), data(package = package)$results[, "Item"])
    }))
    whole <- function() NULL
    body(whole) <- as.call(c(quote(`{`), as.list(code)))
    used <- codetools::findGlobals(whole, merge = FALSE)$functions
    defined <- codetools::findFuncLocals(NULL, body(whole))
    expect_identical(setdiff(used, c(known, defined)), character(), label = basename(page))
  }
})

test_that("short pages run in a session of their own", {
  skip_on_cran()
  for (name in c("verdicts", "privacy-accounting")) {
    page <- file.path(vignettes, paste0(name, ".Rmd"))
    skip_if_not(file.exists(page), "the vignettes are not beside the tests")
    script <- script_of(page)
    here <- setwd(tempdir())
    said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
      c("--vanilla", shQuote(script)), stdout = TRUE, stderr = TRUE, timeout = 300,
      env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
    ))
    setwd(here)
    expect_null(attr(said, "status"), label = paste(c(name, tail(said, 5)), collapse = "\n"))
  }
})

test_that("a page fetches nothing: formulas are MathML, styles its own", {
  skip_if(length(pages) == 0, "the vignettes are not beside the tests")
  for (page in pages) {
    lines <- readLines(page, warn = FALSE)
    head <- lines[seq_len(which(lines == "---")[2])]
    expect_true("    mathjax: null" %in% head, label = basename(page))
    expect_true("    pandoc_args: --mathml" %in% head, label = basename(page))
    expect_false(any(grepl("<(script|link|img)|!\\[", lines)), label = basename(page))
  }
})

test_that("every verdict of the pages about papers stands on four settings or more", {
  skip_on_cran()
  skip_if_not_installed("knitr")
  skip_if(length(pages) == 0, "the vignettes are not beside the tests")
  page <- new.env(parent = globalenv())
  sys.source(file.path(vignettes, "page.R"), page)
  on.exit({
    knitr::opts_chunk$restore()
    knitr::knit_hooks$restore()
    knitr::opts_hooks$restore()
  })
  # a row wants a strip, a table wants rows with one
  three <- list(a = "yes", b = "yes", c = "no (0 of 2)")
  expect_error(page$claim("it holds", "", three), "three other settings")
  expect_error(page$claim("it holds", "", loss = c(three, d = "yes"), error = three), "other")
  expect_error(page$claim_across("it holds", three, ""), "three other settings")
  row <- page$claim("it holds", "", c(three, d = "yes"))
  expect_identical(row$Holds, "depends (a: yes; b: yes; c: no; d: yes)")
  expect_error(page$claims_table(row, data.frame(Claim = "", Found = "", Holds = "yes")), "claim")
  # and the pages' tables are such tables, and nothing else
  about <- c("dp-admm-accadmm", "m-admm", "noisy-fixed-point-admm", "plausible-admm",
    "recycled-admm")
  for (file in file.path(vignettes, paste0(about, ".Rmd"))) {
    lines <- readLines(file)
    inside <- lines[seq(grep("^::: claims", lines), grep("^:::$", lines))]
    expect_false(any(startsWith(inside, "|")), label = basename(file)) # a table by hand
    starts <- grep("^```[{]r", inside)
    ends <- grep("^```$", inside)
    made <- Map(function(from, to) parse(text = inside[seq(from + 1, to - 1)]), starts, ends)
    tables <- unlist(lapply(made, function(code) {
      vapply(code, function(e) is.call(e) && identical(e[[1L]], quote(claims_table)), NA)
    }))
    expect_gt(length(starts), 0)
    expect_identical(sum(tables), length(starts), label = basename(file))
    expect_false(any(grepl("kable", inside)), label = basename(file))
  }
})

test_that("the best of what was tuned is not at the edge of its grid, where it learns", {
  skip_on_cran()
  home <- new.env(parent = globalenv())
  script <- system.file("experiments", "noisy-fixed-point-admm.R", package = "dpadmm")
  sys.source(script, home)
  found <- stored_experiment("noisy-fixed-point-admm", "lasso")
  skip_if_not_installed("glmnet")
  nothing <- home$lasso_objective(numeric(64), home$lasso_problem())
  for (curve in unique(found$curve)) {
    part <- found[found$curve == curve & found$epsilon == found$tuned_at, ]
    if (mean(part$objective) > 0.99 * nothing) { # the corner that moves least is the best of all
      expect_identical(curve, "ADMM, sound, block noise")
      next
    }
    grid <- home$lasso_grid(curve)
    if (grepl("aggregate", curve)) grid$lambda <- NULL # its guarantee ends at 1/2
    if (grepl("all users", curve)) expect_lte(part$lambda[1], 0.5)
    for (name in names(grid)) {
      expect_gt(part[[name]][1], min(grid[[name]]))
      expect_lt(part[[name]][1], max(grid[[name]]))
    }
  }
})

test_that("numbers of steps that are called best lie inside of what was tried", {
  for (part in c("tuned", "steps")) {
    found <- stored_experiment("dp-admm-accadmm", part)
    columns <- intersect(c("algorithm", "epsilon", "data"), names(found))
    for (one in split(found, found[columns], drop = TRUE)) {
      gaps <- tapply(one$gap, one$steps, mean)
      best <- as.numeric(names(which.min(gaps)))
      expect_gt(best, min(one$steps))
      expect_lt(best, max(one$steps))
    }
  }
})
