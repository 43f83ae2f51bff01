# What sites cost: thirty rounds of Adult over four DSLite sites, in one process, and as many
# aggregate calls of DSI with the same arguments that do nothing, side by side; for all columns of
# Adult, and for the four of the README. And what no site that keeps its word can do without: each
# round's message and state are stored before the message leaves, by one statement of SQLite, and a
# run's charge is on the disk before its first one. Run: Rscript bench/sites.R
library(dpadmm)
library(DSLite)
source("bench/helpers.R")

home <- tempfile()
dir.create(home)
Sys.setenv(DPADMM_POLICIES = home)
options(datashield.progress = FALSE)
server <- newDSLiteServer(config = defaultDSConfiguration("dpadmm"))
# open, check and close go to each site once, as the rounds do; the first two bring the plan
server$aggregateMethod("nothingDS", function(...) NULL)
train <- subset(adult, origin == "train", -origin)
train <- train[stats::complete.cases(train), ]

# Bounds and levels as the documentation of Adult has them.
described <- function(data) {
  numbers <- vapply(data, is.numeric, NA)
  do.call(dpadmm_schema, c(lapply(data[numbers], range), lapply(data[!numbers], levels)))
}

measure <- function(what, columns) {
  data <- train[c(columns, "income")]
  public <- described(data)
  data[] <- lapply(data, function(v) if (is.factor(v)) as.character(v) else v)
  names <- sprintf("site_%d_%d", length(columns), 1:4)
  nodes <- rep_len(names, nrow(data))
  builder <- DSI::newDSLoginBuilder()
  for (name in names) {
    source <- file.path(home, paste0(name, ".csv"))
    utils::write.csv(data[nodes == name, ], source, row.names = FALSE)
    site_policy_file(file.path(home, paste0(name, ".dcf")), data = name, source = source,
      ledger = file.path(home, paste0(name, ".sqlite")), schema = public, epsilon = 1e4,
      delta = 1e-3)
    builder$append(name, "server", driver = "DSLiteDriver")
  }
  conns <- DSI::datashield.login(builder$build())
  on.exit(DSI::datashield.logout(conns))
  sites <- sites_datashield(conns, stats::setNames(names, names))
  plan <- dpadmm_plan(stats::reformulate(columns, "income"), sites, epsilon = 1, delta = 1e-5,
    iterations = 30, control = dpadmm_control(progress = FALSE))
  here <- function() suppressWarnings(dpadmm_fit(plan, data, nodes = nodes))
  there <- function() suppressWarnings(dpadmm_fit(plan, sites))
  trivial <- trivial_calls(conns[[1L]], plan)
  storing <- function() store_rounds(plan, names)
  invisible(here())
  invisible(there())
  times <- vapply(1:5, function(k) {
    c(seconds(there), seconds(here), seconds(trivial), seconds(storing))
  }, numeric(4))
  cat(sprintf("%s, %d columns of the model\n", what, plan$problem$d))
  whose <- c("over DSLite", "in one process", "as many calls of DSI",
    "charges and rounds stored, and nothing else")
  cat(sprintf("  %s: %s s\n", whose, apply(times, 1L, spread, digits = 3L)), sep = "")
  report(paste(what, "over 4 DSLite sites / (3 times one process + DSI's calls)"),
    times[1L, ] / (3 * times[2L, ] + times[3L, ]), 1)
  report(paste(what, "and with what is stored / (3 times one process + DSI's calls + SQLite's)"),
    times[1L, ] / (3 * times[2L, ] + times[3L, ] + times[4L, ]), 1)
}

# As many calls as a fit makes, with arguments of the same length.
trivial_calls <- function(conn, plan) {
  call_with <- function(bytes) {
    sprintf("nothingDS(\"site_1\", \"%s\", 10, \"B64:%s\")", strrep("0", 32L), strrep("A", bytes))
  }
  plan_bytes <- nchar(dpadmm:::text_to_wire(dpadmm:::plan_recipe(plan)))
  rounds <- length(plan$rule) + 1L
  texts <- rep(call_with(c(plan_bytes, ceiling(8 * plan$problem$d * 4 / 3))), 4L * c(2L, rounds))
  function() {
    for (text in texts) {
      result <- DSI::dsAggregate(conn, text)
      if (DSI::dsIsCompleted(result)) DSI::dsFetch(result)
    }
  }
}

store_rounds <- function(plan, names) {
  message <- list(raw(8 * plan$problem$d))
  state <- list(raw(200 * plan$problem$d))
  for (name in names) {
    path <- tempfile(tmpdir = home)
    con <- DBI::dbConnect(RSQLite::SQLite(), path)
    DBI::dbExecute(con, "PRAGMA journal_mode = WAL")
    DBI::dbExecute(con, "PRAGMA synchronous = FULL")
    DBI::dbExecute(con, "CREATE TABLE run (round INTEGER, message BLOB, state BLOB)")
    DBI::dbExecute(con, "INSERT INTO run VALUES (0, NULL, NULL)")
    DBI::dbExecute(con, "PRAGMA synchronous = NORMAL")
    stored <- DBI::dbSendStatement(con, "UPDATE run SET round = ?, message = ?, state = ?")
    for (round in seq_along(plan$rule)) DBI::dbBind(stored, list(round, message, state))
    DBI::dbClearResult(stored)
    DBI::dbDisconnect(con)
  }
}

measure("30 rounds of Adult", setdiff(names(train), "income"))
measure("30 rounds of four columns of it", c("age", "education_num", "hours_per_week", "sex"))
