# What sites spent, drawn.

test_that("a report of sites is drawn with a line for each", {
  skip_unless_sites()
  skip_if_not_installed("ggplot2")
  sites <- sites_local(site_frames(), site_schema, epsilon = 5, delta = 1e-4)
  drawn <- function(report) {
    pdf(NULL)
    on.exit(dev.off())
    expect_identical(plot(report), report)
    expect_error(plot(report, type = "l"), class = "dpadmm_error_argument")
    ggplot2::layer_data(ggplot2::autoplot(report), 1L)
  }
  expect_identical(drawn(ledger_report(sites))$y, numeric(3)) # nothing charged yet
  plan <- dpadmm_plan(ill ~ age, sites, epsilon = 0.5, delta = 1e-4, iterations = 2)
  for (k in 1:3) fit <- dpadmm_fit(plan, sites)
  report <- ledger_report(sites, plan = fit)
  expect_identical(report$sites$more, ledger_report(sites, plan = plan)$sites$more)
  if (requireNamespace("generics", quietly = TRUE)) {
    expect_identical(generics::tidy(report), as.data.frame(report))
  }
  lines <- drawn(report)
  expect_identical(as.vector(table(lines$group)), rep(5L, 3)) # from 0, three charges, and now
  # what the site's own ledger says
  own <- as.list(environment(sites$post)$made)$B
  alone <- ledger_report(own)$charges
  of_B <- lines[lines$linetype == unique(lines$linetype)[2], ]
  expect_equal(of_B$y, c(0, 1 - alone$left, 1 - alone$left[3]))
  expect_equal(as.double(of_B$x[2:4]), as.double(alone$time))
  expect_equal(report$charges$B$left, alone$left)
  names <- levels(ggplot2::autoplot(report)$data$line)
  expect_match(names[2], sprintf("^B: %g%% is left$", floor(1000 * alone$left[3]) / 10))
})
