# Sites in daemons of mirai on the loopback address.

test_that("a seeded simulation is the same to the last bit in daemons, here, and in one fit", {
  skip_unless_mirai()
  got <- in_child({
    profiles <- start_shards(c(A = "tcp", B = "tls+tcp"))
    data <- shard_data()
    folder <- shard_folder()
    policy <- file.path(folder, "b.dcf")
    site_policy_file(policy, data = "B", schema = shard_schema, epsilon = 20, delta = 1e-5,
      source = file.path(folder, "B.csv"), ledger = file.path(folder, "b.sqlite"),
      simulation = TRUE)
    sources <- list(A = load_from(folder), B = policy)
    there <- suppressMessages(sites_mirai(profiles = profiles, source = sources,
      schema = shard_schema, epsilon = 20, delta = 1e-5, simulation = TRUE))
    here <- sites_local(data, shard_schema, epsilon = 20, delta = 1e-5, simulation = TRUE)
    pooled <- cbind(do.call(rbind, unname(data)), shard = rep(names(data), vapply(data, nrow, 0L)))
    methods <- list(mr_admm(), admm(1, "primal"), pp_admm(), ipp_admm(),
      fp_admm(unit = "record", noise = "block"))
    fits <- lapply(methods, function(method) {
      plan <- shard_plan(there, 5, method = method)
      fits <- list(quiet_fit(plan, there, seed = 3), quiet_fit(plan, here, seed = 3),
        quiet_fit(plan, pooled, nodes = ~shard, seed = 3))
      lapply(fits, function(fit) list(fit$coefficients, coef(fit)))
    })
    late <- quiet_fit(shard_plan(there, 5), there, seed = 3)$sites
    daemons <- vapply(profiles, process_of, 0)
    close(there) # daemons of profiles are their maker's
    list(fits = fits, late = late, own = daemons == Sys.getpid(),
      up = unname(vapply(profiles, mirai::daemons_set, NA)))
  })
  for (three in got$fits) {
    expect_identical(three[[1]], three[[2]])
    expect_identical(three[[1]], three[[3]])
  }
  expect_null(got$late)
  expect_false(any(got$own))
  expect_identical(got$up, c(TRUE, TRUE))
})

test_that("daemons dial in at urls, with a certificate that they know, and end with close()", {
  skip_unless_mirai()
  skip_on_os("windows")
  got <- in_child({
    folder <- shard_folder()
    certificate <- getExportedValue("nanonext", "write_cert")(cn = "127.0.0.1")
    free <- function(name) {
      mirai::daemons(url = "tcp://127.0.0.1:0", dispatcher = FALSE, .compute = "free")
      on.exit(mirai::daemons(0, .compute = "free"))
      mirai::status(.compute = "free")$daemons
    }
    urls <- vapply(c(A = "A", B = "B"), function(name) paste0("tls+", free(name)), "")
    known <- file.path(folder, "certificate.pem")
    writeLines(certificate$client[1], known)
    for (url in urls) { # before anybody listens
      code <- sprintf("mirai::daemon('%s', dispatcher = FALSE, asyncdial = TRUE, tlscert = '%s')",
        url, known)
      system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), wait = FALSE)
    }
    load <- load_from(folder, note = TRUE)
    sites <- suppressMessages(sites_mirai(urls, load, shard_schema, epsilon = 20, delta = 1e-5,
      tls = certificate$server))
    fit <- quiet_fit(shard_plan(sites, 4), sites)
    pids <- vapply(file.path(folder, c("A.pid", "B.pid")), readLines, "")
    close(sites)
    ended <- end_soon(pids)
    after <- caught(quiet_fit(fit$plan, sites))
    list(late = fit$sites, pids = pids, ended = ended, after = after$conditions)
  })
  expect_null(got$late)
  expect_false(anyDuplicated(got$pids) > 0)
  expect_true(all(got$ended))
  # no process is started in the place of a daemon that is no more
  expect_identical(got$after[[1]]$class[1], "dpadmm_error_site")
  expect_identical(got$after[[1]]$place, "A")
})

test_that("a slow shard is late: its last message stands, and it comes back", {
  skip_unless_mirai()
  got <- in_child({
    profiles <- start_shards()
    sites <- shard_sites(profiles, shard_folder(), deadline = 15)
    gate <- tempfile()
    before_round("B", bquote(while (round == 3 && !file.exists(.(gate))) Sys.sleep(0.01)))
    before_round("A", bquote({
      if (round == 6) file.create(.(gate))
      if (round > 6) Sys.sleep(0.2)
    }))
    fit <- caught(quiet_fit(shard_plan(sites, 30), sites,
      control = dpadmm_control(progress = FALSE, keep_iterates = TRUE)))
    list(sites = fit$value$sites, B = fit$value$iterates[, "B", ], conditions = fit$conditions)
  })
  expect_length(got$conditions, 0)
  expect_true(all(got$sites$site == "B" & got$sites$status == "late"))
  rounds <- got$sites$round
  expect_identical(rounds, seq(3, max(rounds)) + 0L)
  expect_gte(max(rounds), 5) # the gate opens in round 6, perhaps before anybody asks B
  expect_lt(max(rounds), 30)
  for (round in rounds) expect_identical(got$B[round, ], got$B[2, ])
  expect_true(all(got$B[max(rounds) + 1, ] != got$B[2, ]))
})

test_that("a daemon that dies is a lost site; too few stop the run, which then goes on", {
  skip_unless_mirai()
  skip_on_os("windows")
  got <- in_child({
    profiles <- start_shards()
    folder <- shard_folder()
    sites <- shard_sites(profiles, folder)
    plan <- shard_plan(sites, 10)
    die <- quote(if (round == 4) tools::pskill(Sys.getpid(), tools::SIGKILL))
    before_round("B", die)
    lost <- caught(quiet_fit(plan, sites))
    idle <- caught(quiet_fit(plan, sites)) # nobody is there at all
    start_again("B")
    strict <- shard_sites(profiles, folder, min_sites = 2)
    before_round("B", die)
    save <- tempfile()
    few <- caught(quiet_fit(plan, strict, save = save))
    charges <- function() {
      con <- DBI::dbConnect(RSQLite::SQLite(), file.path(folder, "B.sqlite"))
      on.exit(DBI::dbDisconnect(con))
      DBI::dbGetQuery(con, "SELECT count(*) AS n FROM charge")$n
    }
    before <- charges()
    start_again("B")
    resumed <- caught(suppressWarnings(dpadmm_resume(save, strict)))
    list(lost = lost$conditions, trace = lost$value$sites, idle = idle$conditions,
      few = few$conditions, before = before, after = charges(),
      resumed = resumed$conditions, late = resumed$value$sites, model = coef(resumed$value))
  })
  expect_identical(got$lost[[1]]$class[1], "dpadmm_warning_site")
  expect_identical(got$lost[[1]]$place, "B")
  expect_identical(got$trace$round, 4:10)
  expect_true(all(got$trace$site == "B" & got$trace$status == "lost"))
  expect_identical(got$idle[[1]]$class[1], "dpadmm_error_site")
  expect_identical(got$idle[[1]]$place, "B")
  stopped <- Filter(function(one) identical(one$argument, "min_sites"), got$few)
  expect_identical(stopped[[1]]$class[1], "dpadmm_error_site")
  expect_identical(c(got$before, got$after), c(2L, 2L)) # two runs, one of them in two parts
  expect_identical(vapply(got$resumed, `[[`, "", "message"), character())
  expect_null(got$late)
  expect_true(all(is.finite(got$model)))
})

test_that("a hub that is killed leaves no daemon, and the run goes on with new ones", {
  skip_unless_mirai()
  skip_on_os("windows")
  folder <- tempfile("shards")
  on.exit(unlink(folder, recursive = TRUE))
  save <- file.path(folder, "run")
  alive <- in_child({
    file.rename(shard_folder(), folder)
    profiles <- start_shards()
    sites <- shard_sites(profiles, folder, simulation = TRUE)
    writeLines(format(vapply(profiles, process_of, 0L)), file.path(folder, "pids"))
    before_round("B", bquote(if (round == 5) tools::pskill(.(Sys.getpid()), tools::SIGKILL)))
    quiet_fit(shard_plan(sites, 9, seed = 2), sites, save = save, seed = 7)
  }, folder = folder, save = save, fails = TRUE)
  expect_false(alive)
  expect_true(all(end_soon(readLines(file.path(folder, "pids")))))
  got <- in_child({
    sites <- shard_sites(start_shards(), folder, simulation = TRUE)
    here <- sites_local(shard_data(), shard_schema, epsilon = 20, delta = 1e-5, simulation = TRUE)
    resumed <- suppressWarnings(dpadmm_resume(save, sites))
    whole <- quiet_fit(resumed$plan, here, seed = 7)
    list(resumed$coefficients, whole$coefficients, resumed$sites)
  }, folder = folder, save = save)
  expect_identical(got[[1]], got[[2]])
  expect_null(got[[3]])
})

test_that("a shard that nobody starts, or that cannot be made, is named within the deadline", {
  skip_unless_mirai()
  got <- in_child({
    begin <- Sys.time()
    told <- NULL
    nobody <- withCallingHandlers(
      caught(sites_mirai(c(A = "tls+tcp://127.0.0.1:0", B = "tcp://127.0.0.1:0"), "x.csv",
        shard_schema, 1, deadline = 1.5)),
      message = function(m) told <<- c(told, conditionMessage(m))
    )
    waited <- as.double(Sys.time() - begin, units = "secs")
    profiles <- start_shards()
    folder <- shard_folder()
    one_row <- function() data.frame(age = 1)
    environment(one_row) <- globalenv()
    make <- function(source, ...) {
      caught(suppressMessages(sites_mirai(profiles = profiles, source = source, ...)))$conditions
    }
    made <- function(source) make(source, schema = shard_schema, epsilon = 1)
    good <- file.path(folder, "A.csv")
    answers <- list(
      file = made(list(A = good, B = "/no/such.csv")), dcf = make("/no/policy.dcf"),
      fails = made(list(A = load_from(folder), B = load_from("/no/folder"))),
      other = made(list(A = load_from(folder), B = one_row))
    )
    mirai::launch_local(1, .compute = "A")
    while (mirai::status(.compute = "A")$connections < 2L) Sys.sleep(0.05)
    c(answers, list(two = made(good), nobody = nobody$conditions, told = told, waited = waited,
      profiles = own_profiles()))
  })
  blame <- function(one, argument, place, words) {
    expect_identical(one[[1]]$class[1], "dpadmm_error_site")
    expect_identical(one[[1]]$argument, argument)
    expect_identical(one[[1]]$place, place)
    expect_match(one[[1]]$message, words)
  }
  blame(got$nobody, "urls", "A", "no daemon has dialled in at tls.tcp://127.0.0.1")
  expect_lt(got$waited, 60)
  expect_match(got$told, "A:\nRscript -e 'mirai::daemon\\(\"tls.*BEGIN CERTIFICATE.*B:\n")
  expect_equal(got$profiles, 0)
  blame(got$file, "source", "B", "cannot be read")
  blame(got$dcf, "path", "A", "no policy file")
  blame(got$fails, "source", "B", "loaded: cannot open")
  blame(got$other, "Columns", "B", "no column `ill`")
  blame(got$two, "urls", "A", "more than one daemon")
})

test_that("a round sends less than 500 bytes beyond its numbers", {
  skip_unless_mirai()
  got <- in_child({
    profiles <- start_shards()
    sites <- shard_sites(profiles, shard_folder())
    plan <- shard_plan(sites, 3)
    sent <- list()
    note <- function(data) sent[[length(sent) + 1L]] <<- data
    suppressMessages(trace("do_mirai", bquote(.(note)(c(.args, list(._expr_. = expr,
      ._globals_. = globals)))), where = asNamespace("mirai"), print = FALSE))
    quiet_fit(plan, sites)
    list(d = plan$problem$d, sent = sent)
  })
  steps <- Filter(function(data) identical(data$a[[2L]], "step"), got$sent)
  expect_length(steps, 6L)
  expect_identical(got$d, 2L)
  expect_lt(max(lengths(lapply(steps, serialize, NULL))) - 8 * got$d, 500)
})

test_that("arguments of sites_mirai(): no records from here, and each is named", {
  skip_unless_mirai()
  schema <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
  two <- c(A = "tcp://127.0.0.1:0", B = "tcp://127.0.0.1:0")
  ask <- function(urls = two, source = "x.csv", ..., epsilon = 1) {
    sites_mirai(urls, source, schema, epsilon, ..., deadline = 0.1)
  }
  records <- data.frame(age = 50, ill = "no")
  refused <- expect_error(ask(source = records), "never sent", class = "dpadmm_error_argument")
  expect_identical(refused[c("argument", "place")], list(argument = "source", place = "A"))
  refused <- expect_error(ask(source = list(A = "x.csv", B = records)), "never sent")
  expect_identical(refused$place, "B")
  carries <- local({
    held <- runif(1e5)
    function(name) data.frame(age = held)
  })
  expect_error(ask(source = carries), "take .* along", class = "dpadmm_error_argument")
  for (source in list(NULL, 7, "x.txt", c("a.csv", "b.csv"), NA_character_, list(A = "x.csv"))) {
    expect_blames(ask(source = source), "source")
  }
  expect_blames(sites_mirai(two), "source")
  expect_blames(sites_mirai(two, "x.csv"), "schema")
  expect_blames(sites_mirai(two, "x.csv", schema), "epsilon")
  expect_blames(ask(epsilon = -1), "epsilon")
  same <- c(A = "tcp://127.0.0.1:5555", B = "tcp://127.0.0.1:5555")
  for (urls in list(NULL, two["A"], unname(two), c(A = "127.0.0.1:1", B = "x"), same,
    stats::setNames(two, c("A", "A")), stats::setNames(two, c("A", "b c")))) {
    expect_blames(ask(urls = urls), "urls")
  }
  expect_blames(ask(profiles = c(A = "a", B = "b")), "urls")
  expect_blames(ask(NULL, profiles = c(A = "not", B = "set")), "profiles")
  expect_blames(ask(tls = "/no/such.pem"), "tls")
  expect_blames(ask(tls = c("certificate", "key")), "urls")
  expect_blames(ask(ledger = c(A = "a.sqlite")), "ledger")
  expect_blames(sites_mirai(two, "x.csv", schema, 1, deadline = 0), "deadline")
  elsewhere <- c(A = "tcp://127.0.0.1:0", B = "tcp://192.0.2.1:5555") # no address of ours
  refused <- expect_error(ask(elsewhere), "cannot listen", class = "dpadmm_error_argument")
  expect_identical(refused$place, "B")
  expect_equal(own_profiles(), 0)
})

test_that("a run that stopped with too few answers ends with the model of one that did not", {
  skip_unless_mirai()
  sites <- sites_local(shard_data(), shard_schema, epsilon = 20, delta = 1e-5, simulation = TRUE,
    min_sites = 2)
  flaky <- sites
  lost <- FALSE
  flaky$post <- function(i, request, arguments) {
    lost <<- lost || (request == "step" && i == 2 && arguments$round == 4)
    if (!lost || i == 1) sites$post(i, request, arguments)
  }
  flaky$fetch <- function(i) if (lost && i == 2) stop("no route to host") else sites$fetch(i)
  plan <- shard_plan(sites, 8)
  save <- tempfile()
  on.exit(unlink(save))
  stopped <- expect_error(suppressWarnings(dpadmm_fit(plan, flaky, seed = 1, save = save)),
    class = "dpadmm_error_site")
  expect_identical(stopped$argument, "min_sites")
  resumed <- suppressWarnings(dpadmm_resume(save, sites))
  expect_null(resumed$sites)
  expect_identical(resumed$coefficients, dpadmm_fit(plan, sites, seed = 1)$coefficients)
})
