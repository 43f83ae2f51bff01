# Every loss against its definition in R, finite differences and its stated constants.

loss_at <- function(loss, a, y) {
  .Call(dpadmm:::ffi_loss, loss$name, as.double(loss$width), as.double(a), as.double(y))
}

definitions <- list(
  logistic = function(a, y, h) pmax(-y * a, 0) + log1p(exp(-abs(y * a))),
  squared = function(a, y, h) (a - y)^2 / 2,
  huber = function(a, y, h) {
    r <- abs(a - y)
    ifelse(r <= h, r^2 / 2, h * r - h^2 / 2)
  },
  hinge = function(a, y, h) {
    m <- y * a
    ifelse(m > 1 + h, 0, ifelse(m < 1 - h, 1 - m, (1 + h - m)^2 / (4 * h)))
  }
)

widths <- list(logistic = 0, squared = 0, huber = c(0.05, 1, 3), hinge = c(0.05, 0.5, 2))

losses <- unlist(lapply(names(widths), function(name) {
  lapply(widths[[name]], function(h) if (h == 0) dpadmm_loss(name) else dpadmm_loss(name, h))
}), recursive = FALSE)

labels_of <- function(loss) if (loss$classification) c(-1, 1) else c(-1.3, 0, 0.4)

# A grid that meets no kink: neither a - y nor y a is a round number on it.
grid <- seq(-12, 12, by = 0.0371) + 1e-3 * sqrt(2)

#' Points whose neighbourhood of radius `step` is free of kinks.
smooth <- function(loss, a, y, step) {
  h <- loss$width
  far <- switch(loss$name,
    huber = abs(abs(a - y) - h), hinge = abs(abs(1 - y * a) - h), rep(Inf, length(a))
  )
  far > step
}

test_that("the table of losses is the one tested here", {
  expect_setequal(names(.Call(dpadmm:::ffi_losses)), names(definitions))
})

for (loss in losses) {
  title <- sprintf("%s of width %g", loss$name, loss$width)

  test_that(paste(title, "has the value of its definition"), {
    for (y in labels_of(loss)) {
      got <- loss_at(loss, grid, rep(y, length(grid)))
      expect_equal(got$value, definitions[[loss$name]](grid, y, loss$width), tolerance = 1e-13)
      expect_true(all(got$value >= 0))
    }
  })

  test_that(paste(title, "has the slope and bend of its value"), {
    step <- 1e-4
    for (y in labels_of(loss)) {
      a <- grid[smooth(loss, grid, y, step)]
      ys <- rep(y, length(a))
      here <- loss_at(loss, a, ys)
      up <- loss_at(loss, a + step, ys)
      down <- loss_at(loss, a - step, ys)
      expect_lt(max(abs(here$gradient - (up$value - down$value) / (2 * step))), 2e-8)
      expect_lt(max(abs(here$curvature - (up$gradient - down$gradient) / (2 * step))), 2e-8)
      expect_true(all(here$curvature >= 0))
    }
  })

  test_that(paste(title, "is continuous with a continuous slope at its kinks"), {
    for (y in labels_of(loss)) {
      kinks <- switch(loss$name,
        huber = y + c(-1, 1) * loss$width, hinge = y * (1 + c(-1, 1) * loss$width), 0
      )
      for (kink in kinks) {
        around <- loss_at(loss, kink + c(-1e-9, 0, 1e-9), rep(y, 3))
        expect_lt(max(abs(diff(around$value))), 1e-7)
        expect_lt(max(abs(diff(around$gradient))), 1e-7)
      }
    }
  })

  test_that(paste(title, "has the constants it states, and they are attained"), {
    fine <- seq(-40, 40, length.out = 200001)
    slopes <- bends <- third <- ratio <- 0
    for (y in labels_of(loss)) {
      got <- loss_at(loss, fine, rep(y, length(fine)))
      slopes <- max(slopes, abs(got$gradient))
      bends <- max(bends, got$curvature)
      change <- abs(diff(got$curvature)) / diff(fine)
      third <- max(third, change)
      # |L'''| <= L'' over a step s means bends differ by a factor of at most exp(s)
      ratio <- max(ratio, change / pmax(got$curvature[-1], got$curvature[-length(fine)], 1e-290))
    }
    if (is.finite(loss$lipschitz)) {
      expect_lte(slopes, loss$lipschitz)
      expect_equal(slopes, loss$lipschitz, tolerance = 1e-8)
    } else {
      expect_gt(slopes, 35) # grows with a
    }
    expect_lte(bends, loss$curvature)
    expect_equal(bends, loss$curvature, tolerance = 1e-8)
    if (is.finite(loss$third)) {
      expect_lte(third, loss$third * (1 + 1e-9))
      expect_equal(third, loss$third, tolerance = 1e-6)
    } else {
      expect_gt(third, 50) # a jump of the bend
    }
    expect_identical(loss$self_concordant, ratio <= 1)
  })

  test_that(paste(title, "does not overflow or turn into NaN"), {
    far <- c(-1e300, -1e5, -750, 0, 750, 1e5, 1e300)
    for (y in labels_of(loss)) {
      got <- loss_at(loss, far, rep(y, length(far)))
      expect_false(anyNA(unlist(got)))
      expect_true(all(is.finite(got$curvature)))
      if (is.finite(loss$lipschitz)) expect_true(all(is.finite(unlist(got))))
    }
  })
}

test_that("the constants are those of the help page", {
  table <- function(loss) unclass(loss)[c("lipschitz", "curvature", "third", "self_concordant",
    "classification")]
  row <- function(...) setNames(list(...), c("lipschitz", "curvature", "third", "self_concordant",
    "classification"))
  expect_equal(table(dpadmm_loss("logistic")), row(1, 1 / 4, 1 / (6 * sqrt(3)), TRUE, TRUE))
  expect_equal(table(dpadmm_loss("squared")), row(Inf, 1, 0, TRUE, FALSE))
  expect_equal(table(dpadmm_loss("huber")), row(1, 1, Inf, FALSE, FALSE))
  expect_equal(table(dpadmm_loss("huber", 2)), row(2, 1, Inf, FALSE, FALSE))
  expect_equal(table(dpadmm_loss("hinge")), row(1, 1, Inf, FALSE, TRUE))
  expect_equal(table(dpadmm_loss("hinge", 0.25)), row(1, 2, Inf, FALSE, TRUE))
  expect_identical(dpadmm_loss(dpadmm_loss("hinge", 0.25)), dpadmm_loss("hinge", 0.25))
  expect_output(print(dpadmm_loss("hinge", 0.25)), "hinge of width 0.25; L = 1, c1 = 2")
})

test_that("widths are of sizes whose losses are numbers, however far a record is", {
  for (name in c("huber", "hinge")) {
    for (width in c(1e-101, 1e101, 1e308)) {
      error <- expect_error(dpadmm_loss(name, width), class = "dpadmm_error_argument")
      expect_identical(error$argument, "width")
    }
    for (width in c(1e-100, 1e100)) {
      far <- c(-1, 1) * .Machine$double.xmax
      found <- .Call(dpadmm:::ffi_loss, name, width, far, c(1, -1))
      expect_false(anyNA(unlist(found)))
    }
  }
})
