# Secure sums of sites in daemons of mirai.

test_that("secure sums of shards are those of one process, and go on after a daemon died", {
  skip_unless_mirai()
  skip_if_not_installed("sodium")
  got <- in_child({
    profiles <- start_shards(c(A = "tcp", B = "tcp", C = "tls+tcp"))
    folder <- shard_folder()
    data <- shard_data()
    data$C <- data$A[1:150, ]
    utils::write.csv(data$C, file.path(folder, "C.csv"), row.names = FALSE)
    keys <- stats::setNames(file.path(folder, paste0(names(data), ".key")), names(data))
    peers <- vapply(keys, site_identity, "")
    policies <- vapply(names(data), function(name) {
      path <- file.path(folder, paste0(name, ".dcf"))
      site_policy_file(path, data = name, schema = shard_schema, epsilon = 50, delta = 1e-4,
        source = file.path(folder, paste0(name, ".csv")), identity = keys[[name]], peers = peers,
        ledger = file.path(folder, paste0(name, ".sqlite")), simulation = TRUE)
      path
    }, "")
    sites <- suppressMessages(sites_mirai(profiles = profiles, source = policies, deadline = 20))
    plan <- shard_plan(sites, 5, method = grad_admm(), aggregation = secure_sum(failures = 1))
    fit <- quiet_fit(plan, sites, seed = 3)
    pooled <- cbind(do.call(rbind, unname(data)), shard = rep(names(data), vapply(data, nrow, 0L)))
    here <- quiet_fit(plan, pooled, nodes = ~shard, seed = 3)
    before_round("B", quote(if (round == 3) tools::pskill(Sys.getpid(), 9L)))
    file <- file.path(folder, "run")
    stopped <- caught(quiet_fit(plan, sites, save = file))$conditions
    start_again("B")
    again <- caught(dpadmm_resume(file, sites))
    charges <- ledger_report(sites)$sites$charges
    list(same = identical(fit$coefficients, here$coefficients), stopped = stopped,
      again = again$conditions, model = coef(again$value), charges = charges)
  })
  expect_true(got$same)
  error <- got$stopped[[length(got$stopped)]]
  expect_identical(error[c("argument", "place")], list(argument = "sites", place = "B"))
  expect_match(error$message, "dpadmm_resume")
  expect_length(got$again, 0L)
  expect_true(all(is.finite(got$model)))
  expect_identical(unname(got$charges), rep(1L, 3))
})

test_that("shards without policy files make identities of their own, which stay with a ledger", {
  skip_unless_mirai()
  skip_if_not_installed("sodium")
  got <- in_child({
    profiles <- start_shards(c(A = "tcp", B = "tcp", C = "tcp"))
    folder <- shard_folder()
    data <- shard_data()
    data$C <- data$A[1:150, ]
    utils::write.csv(data$C, file.path(folder, "C.csv"), row.names = FALSE)
    stay <- shard_sites(profiles, folder, simulation = TRUE, deadline = 20)
    gone <- suppressMessages(sites_mirai(profiles = profiles, source = load_from(folder),
      schema = shard_schema, epsilon = 20, delta = 1e-5, deadline = 20))
    plan <- shard_plan(stay, 5, method = grad_admm(), aggregation = secure_sum(failures = 1))
    fit <- quiet_fit(plan, stay, seed = 3)
    pooled <- cbind(do.call(rbind, unname(data)), shard = rep(names(data), vapply(data, nrow, 0L)))
    here <- quiet_fit(plan, pooled, nodes = ~shard, seed = 3)
    without <- caught(quiet_fit(plan, gone))$conditions
    files <- list.files(folder, "[.]key$")
    modes <- format(file.mode(file.path(folder, files)))
    before_round("B", quote(if (round == 3) tools::pskill(Sys.getpid(), 9L)))
    file <- file.path(folder, "run")
    stopped <- caught(quiet_fit(plan, stay, save = file))$conditions
    start_again("B")
    again <- caught(dpadmm_resume(file, stay))
    # without a ledger on disk it is somebody else
    other <- caught(quiet_fit(plan, gone))$conditions
    plain <- caught(quiet_fit(shard_plan(gone, 5), gone))
    list(same = identical(fit$coefficients, here$coefficients), without = without, files = files,
      modes = modes, stopped = stopped, again = again$conditions, model = coef(again$value),
      charges = ledger_report(stay)$sites$charges, other = other, plain = plain$conditions)
  })
  expect_true(got$same)
  expect_length(got$without, 0L)
  expect_identical(got$files, sprintf("%s.sqlite-%s.key", LETTERS[1:3], LETTERS[1:3]))
  if (.Platform$OS.type == "unix") expect_identical(unique(got$modes), "600")
  expect_identical(got$stopped[[length(got$stopped)]]$place, "B")
  expect_length(got$again, 0L)
  expect_true(all(is.finite(got$model)))
  expect_identical(unname(got$charges), rep(1L, 3))
  error <- got$other[[length(got$other)]]
  expect_identical(error[c("argument", "place")], list(argument = "Identity", place = "B"))
  expect_true("dpadmm_error_site" %in% error$class)
  expect_length(got$plain, 0L)
})
