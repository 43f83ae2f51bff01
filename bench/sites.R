# What sites cost: thirty rounds of Adult over four DSLite sites, in one process, and as many
# aggregate calls of DSI with the same arguments that do nothing, side by side. And what no site
# that keeps its word can do without: each round's message and state are stored before the message
# leaves, by one statement of SQLite, and a run's charge is on the disk before its first one.
# Rscript bench/sites.R
library(dpadmm)
library(DSLite)
source("bench/helpers.R")

home <- tempfile()
dir.create(home)
Sys.setenv(DPADMM_POLICIES = home)
options(datashield.progress = FALSE)
train <- subset(adult, origin == "train")
terms <- income ~ age + education_num + hours_per_week + sex
train <- train[all.vars(terms)]
train[] <- lapply(train, function(v) if (is.factor(v)) as.character(v) else v)
train <- train[stats::complete.cases(train), ]
public <- dpadmm_schema(age = c(17, 90), education_num = c(1, 16), hours_per_week = c(1, 99),
  sex = c("Female", "Male"), income = c("<=50K", ">50K"))
names <- paste0("site_", 1:4)
nodes <- rep_len(names, nrow(train))

builder <- DSI::newDSLoginBuilder()
for (name in names) {
  source <- file.path(home, paste0(name, ".csv"))
  utils::write.csv(train[nodes == name, ], source, row.names = FALSE)
  site_policy_file(file.path(home, paste0(name, ".dcf")), data = name, source = source,
    ledger = file.path(home, paste0(name, ".sqlite")), schema = public, epsilon = 1e4,
    delta = 1e-3)
  builder$append(name, "server", driver = "DSLiteDriver")
}
server <- newDSLiteServer(config = defaultDSConfiguration("dpadmm"))
conns <- DSI::datashield.login(builder$build())
sites <- sites_datashield(conns, stats::setNames(names, names))
plan <- dpadmm_plan(terms, sites, epsilon = 1, delta = 1e-5, iterations = 30,
  control = dpadmm_control(progress = FALSE))

here <- function() suppressWarnings(dpadmm_fit(plan, train, nodes = nodes))
there <- function() suppressWarnings(dpadmm_fit(plan, sites))
# open, check and close go to each site once, as the rounds do; the first two bring the plan
server$aggregateMethod("nothingDS", function(...) NULL)
call_with <- function(bytes) {
  sprintf("nothingDS(\"site_1\", \"%s\", 10, \"B64:%s\")", strrep("0", 32L), strrep("A", bytes))
}
plan_bytes <- nchar(dpadmm:::text_to_wire(dpadmm:::plan_recipe(plan)))
rounds <- length(plan$rule) + 1L
texts <- rep(call_with(c(plan_bytes, ceiling(8 * plan$problem$d * 4 / 3))), 4L * c(2L, rounds))
calls <- length(texts)
trivial <- function() {
  for (text in texts) {
    result <- DSI::dsAggregate(conns[[1L]], text)
    if (DSI::dsIsCompleted(result)) DSI::dsFetch(result)
  }
}
message <- list(raw(8 * plan$problem$d))
state <- list(raw(200 * plan$problem$d))
storing <- function() {
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
invisible(here())
invisible(there())
measured <- function(k) c(seconds(there), seconds(here), seconds(trivial), seconds(storing))
times <- vapply(1:5, measured, numeric(4))
cat(sprintf("%s: %s s\n", c("over DSLite", "in one process", sprintf("%d calls of DSI", calls),
  "charges and rounds stored, and nothing else"), apply(times, 1L, spread, digits = 3L)), sep = "")
report("30 rounds of Adult over 4 DSLite sites / (3 times one process + DSI's calls)",
  times[1L, ] / (3 * times[2L, ] + times[3L, ]), 1)
report("and with what is stored / (3 times one process + DSI's calls + SQLite's)",
  times[1L, ] / (3 * times[2L, ] + times[3L, ] + times[4L, ]), 1)
DSI::datashield.logout(conns)
