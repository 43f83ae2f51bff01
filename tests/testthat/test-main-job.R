test_that("the README's main job runs and saves its figure", {
  skip_on_cran()
  script <- system.file("examples", "adult.R", package = "dpadmm")
  file <- tempfile(fileext = ".png")
  on.exit(unlink(file))
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  out <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c(shQuote(script), shQuote(file), "1"),
    stdout = TRUE, stderr = TRUE, timeout = 300, env = paste0("R_LIBS=", libraries)
  ))
  expect_null(attr(out, "status"), info = paste(out, collapse = "\n"))
  expect_true(any(grepl("Privacy (sound): epsilon = 1, delta = 0.00001", out, fixed = TRUE)))
  line <- grep("^Test error: ", out, value = TRUE)
  expect_length(line, 1L)
  errors <- as.numeric(regmatches(line, gregexpr("[0-9.]+(?=%)", line, perl = TRUE))[[1L]])
  expect_length(errors, 3L)
  # private within 3 points of non-private, and both far better than the majority class
  expect_lt(errors[2L], 17.5)
  expect_lt(errors[1L], errors[2L] + 3)
  expect_gt(errors[3L], 23)
  png <- as.raw(c(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a))
  expect_identical(readBin(file, "raw", 8L), png)
  expect_gt(file.size(file), 5000)
})
