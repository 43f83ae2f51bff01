# Stored results of the vignettes are what this version of the package gives; what was tuned in
# them has not stopped at the edge of a grid.

#' Some settings of a part, run again, beside what is stored of them.
again <- function(name, part, rows) {
  script <- system.file("experiments", paste0(name, ".R"), package = "dpadmm")
  home <- new.env(parent = globalenv())
  sys.source(script, home)
  one <- home$stored[[part]]
  settings <- subset(one$settings, rows(one$settings))
  row.names(settings) <- NULL
  found <- suppressWarnings(experiment(settings, one$run, repetitions = 1))
  stored <- stored_experiment(name, part)
  key <- function(data) do.call(paste, data[c(names(settings), "repetition")])
  list(found = found, stored = stored[key(stored) %in% key(found), ])
}

expect_stored <- function(name, part, rows) {
  both <- again(name, part, rows)
  timed <- setdiff(names(both$found), "seconds")
  expect_gt(nrow(both$found), 0)
  expect_equal(as.data.frame(both$stored[timed]), as.data.frame(both$found[timed]),
    tolerance = 1e-4, ignore_attr = "row.names", label = paste(name, part)
  )
}

test_that("private runs of the pages come out as they are stored", {
  skip_on_cran()
  expect_stored("plausible-admm", "figures-5-6", function(s) {
    with(s, method %in% c("PP-ADMM", "R-ADMM") & epsilon == 1 & C == 10)
  })
  expect_stored("m-admm", "networks-2", function(s) s$graph == "ring")
  expect_stored("recycled-admm", "figure-5", function(s) {
    with(s, method == "MR-ADMM" & alpha == 1)
  })
  expect_stored("all-methods", "ours", function(s) {
    with(s, method %in% c("MR-ADMM", "acc_admm") & data == "dense" & holders == 20)
  })
})

test_that("what is stored is what the scripts make: no part more, no run less", {
  skip_on_cran()
  folder <- system.file("experiments", package = "dpadmm")
  names <- sub("[.]R$", "", list.files(folder, "[.]R$"))
  made <- lapply(setNames(names, names), rerun_experiment)
  files <- Map(function(name, found) sprintf("%s-%s.csv.gz", name, found$part), names, made)
  expect_setequal(list.files(folder, "[.]csv[.]gz$"), unlist(files))
  for (name in names) {
    runs <- vapply(made[[name]]$part, function(part) {
      data <- stored_experiment(name, part)
      sum(!duplicated(data[seq_len(match("repetition", names(data)))]))
    }, 0L)
    expect_equal(unname(runs), made[[name]]$runs, label = name)
  }
})

test_that("no stored run with sound noise spends more than its budget", {
  for (part in c("weights", "figures-5-6", "figure-7")) {
    found <- stored_experiment("plausible-admm", part)
    found <- found[found$accountant == "sound" & is.finite(found$epsilon), ]
    known <- !is.na(found$sound)
    expect_gt(mean(known), 0.7)
    expect_true(all(found$sound[known] <= found$epsilon[known]))
  }
})

#' Groups whose best mean error is at the edge of what was tried, of those that learn anything:
#' have an error below `nothing`.
at_the_edge <- function(found, tuned, by, nothing = Inf) {
  groups <- split(as.data.frame(found), found[by], drop = TRUE)
  edge <- vapply(groups, function(part) {
    means <- tapply(part$error, part[[tuned]], mean)
    min(means, na.rm = TRUE) < nothing && which.min(means) %in% c(1, length(means))
  }, NA)
  names(groups)[edge]
}

test_that("what is tuned on the pages has its best inside of its grid, where it learns", {
  by_weight <- stored_experiment("plausible-admm", "weights")
  free <- by_weight[by_weight$method == "non-private" & by_weight$C == 1, ]
  nothing <- mean(free$error) - 0.003 # it names the larger class
  by_weight <- by_weight[by_weight$method != "non-private", ]
  expect_identical(
    at_the_edge(by_weight, "C", c("method", "accountant", "epsilon"), nothing), character()
  )
  instead <- stored_experiment("all-methods", "instead")
  expect_identical(at_the_edge(instead, "tuned", c("data", "holders", "method")), character())
})
