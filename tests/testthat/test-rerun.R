# rerun_experiment(): what is stored comes out again, from what is installed.

test_that("a part that is run again gives the stored numbers; it says before how long it takes", {
  skip_on_cran()
  before <- get0(".Random.seed", globalenv())
  file <- tempfile(fileext = ".csv")
  said <- character()
  capture.output(withCallingHandlers(
    again <- rerun_experiment("recycled-admm", "figure-2",
      repetitions = 1, file = file, progress = TRUE
    ),
    message = function(m) {
      said <<- c(said, conditionMessage(m))
      invokeRestart("muffleMessage")
    }
  ))
  expect_identical(get0(".Random.seed", globalenv()), before)
  expect_match(said[1], "^9 runs of about .* s each: [0-9]+ (s|minutes) with 1 worker[.]")
  expect_equal(read_experiment(file)$error, again$error)
  stored <- stored_experiment("recycled-admm", "figure-2")
  first <- stored[stored$repetition == 1, ]
  expect_identical(names(again), names(first))
  expect_equal(again$error, first$error, tolerance = 1e-4)
  expect_identical(again$rho, first$rho)
  expect_false(exists("recycled_run", globalenv()))
})

test_that("what there is: every vignette with experiments, its parts and their runs", {
  skip_on_cran()
  found <- rerun_experiment("m-admm")
  expect_identical(found$part, c(
    "figure-1", "figure-2", "budgets", "networks", "networks-1", "networks-2", "figures-3-4"
  ))
  expect_true(all(found$stored))
  expect_identical(found$runs, found$settings * found$repetitions)
})

test_that("names that are not there are errors that say which are", {
  expect_error(rerun_experiment("none"), "plausible-admm", class = "dpadmm_error_argument")
  expect_error(stored_experiment("m-admm", "figure-9"), "figures-3-4",
    class = "dpadmm_error_argument"
  )
  expect_error(stored_experiment(1, "x"), class = "dpadmm_error_argument")
  skip_on_cran()
  expect_blame(rerun_experiment("m-admm", "figure-9"), "argument", "part")
  expect_blame(rerun_experiment("m-admm", "figure-1", repetitions = 0), "argument", "repetitions",
    place = 1L
  )
  expect_blame(rerun_experiment("m-admm", "figure-1", progress = NA), "argument", "progress")
})

test_that("your own copies are found under their usual names, or it says which were looked for", {
  skip_on_cran()
  home <- new.env(parent = globalenv())
  script <- system.file("experiments", "dp-admm-accadmm.R", package = "dpadmm")
  sys.source(script, home)
  folder <- tempfile("copies")
  dir.create(folder)
  lines <- c("1 1:0.5 22:1", "-1 2:0.25")
  for (name in c("ijcnn1", "ijcnn1.t")) {
    error <- tryCatch(home$your_copy(folder, name), error = conditionMessage)
    expect_match(error, "ijcnn1", fixed = TRUE)
    expect_match(error, folder, fixed = TRUE)
    out <- bzfile(file.path(folder, paste0(name, ".bz2")), "w")
    writeLines(lines, out)
    close(out)
  }
  old <- Sys.getenv("DPADMM_IJCNN1", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("DPADMM_IJCNN1") else Sys.setenv(DPADMM_IJCNN1 = old))
  Sys.setenv(DPADMM_IJCNN1 = folder)
  data <- home$fused_data("ijcnn1")
  expect_false(data$synthetic)
  expect_identical(dim(data$x_test), c(2L, 22L))
  file.rename(file.path(folder, "ijcnn1.t.bz2"), file.path(folder, "ijcnn1.t.svm.bz2"))
  expect_identical(home$fused_data("ijcnn1")$y_test, data$y_test)
  unlink(file.path(folder, "ijcnn1.t.svm.bz2"))
  expect_error(home$fused_data("ijcnn1"), "ijcnn1.t.xz")
})

test_that("the published protocol of noisy-fixed-point-admm gives what is stored of it", {
  skip_on_cran()
  skip_if_not_installed("glmnet")
  home <- new.env(parent = globalenv())
  script <- system.file("experiments", "noisy-fixed-point-admm.R", package = "dpadmm")
  sys.source(script, home)
  chosen <- function(data) data[data$method == "SGD" & abs(data$epsilon - 0.63) < 0.01, ]
  settings <- chosen(home$stored$published$settings)
  again <- experiment(settings, home$published_run, repetitions = 1)
  first <- subset(chosen(stored_experiment("noisy-fixed-point-admm", "published")), repetition == 1)
  expect_equal(again$least, first$least, tolerance = 1e-6)
  # a variance that is used as a standard deviation is the larger here: 2 L^2 K / (rho n^2) > 1
  expect_lt(again$least[again$root], again$least[!again$root])
})
