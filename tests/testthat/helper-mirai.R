# Sites in daemons of mirai, for tests, whose hub is a child process (see helper-child.R): daemons
# end with the hub that they dialled in to, however it ends.

skip_unless_mirai <- function() {
  skip_on_cran()
  for (package in c("mirai", "nanonext", "DBI", "RSQLite", "digest", "jsonlite")) {
    skip_if_not_installed(package)
  }
}

# ---- in the child ------------------------------------------------------------------------

shard_schema <- dpadmm::dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))

shard_data <- function() {
  Map(function(n, seed) {
    u <- function(k) (sin(seq_len(n) * k + seed) + 1) / 2 # no random number
    age <- round(20 + 70 * u(1.7))
    data.frame(age = age, ill = ifelse(age / 90 + 0.4 * (u(5.1) - 0.5) > 0.6, "yes", "no"))
  }, c(A = 300, B = 200), 1:2)
}

#' A folder with the records of each shard.
shard_folder <- function() {
  folder <- tempfile("shards")
  dir.create(folder)
  data <- shard_data()
  for (name in names(data)) {
    utils::write.csv(data[[name]], file.path(folder, paste0(name, ".csv")), row.names = FALSE)
  }
  folder
}

#' A source: records of the folder; `note` that this daemon has loaded them.
load_from <- function(folder, note = FALSE) {
  force(list(folder, note)) # a promise would take along where it was made
  function(name) {
    if (note) writeLines(format(Sys.getpid()), file.path(folder, paste0(name, ".pid")))
    utils::read.csv(file.path(folder, paste0(name, ".csv")))
  }
}

#' A profile a shard, each with a daemon on this machine.
start_shards <- function(schemes = c(A = "tcp", B = "tcp")) {
  for (name in names(schemes)) {
    mirai::daemons(
      url = paste0(schemes[[name]], "://127.0.0.1:0"), dispatcher = FALSE, .compute = name
    )
    mirai::launch_local(1, .compute = name)
  }
  stats::setNames(nm = names(schemes))
}

shard_sites <- function(profiles, folder, ...) {
  in_folder <- function(type) {
    stats::setNames(file.path(folder, paste0(names(profiles), type)), names(profiles))
  }
  suppressMessages(sites_mirai(
    profiles = profiles, source = in_folder(".csv"), ledger = in_folder(".sqlite"),
    schema = shard_schema, epsilon = 20, delta = 1e-5, ...
  ))
}

shard_plan <- function(sites, iterations = 12, ...) {
  dpadmm_plan(ill ~ age, sites, epsilon = 8, delta = 1e-5, iterations = iterations, ...)
}

quiet_fit <- function(...) {
  suppressWarnings(dpadmm_fit(...), classes = "dpadmm_warning_utility")
}

#' Have a shard do something before it computes a round: `what` knows `round`.
before_round <- function(profile, what) {
  done <- mirai::everywhere(
    trace("compute_round", tracer, where = asNamespace("dpadmm"), print = FALSE),
    .args = list(tracer = what), .compute = profile
  )
  mirai::collect_mirai(done)
}

process_of <- function(profile) mirai::mirai(Sys.getpid(), .compute = profile)[]

#' How many profiles of sites_mirai() itself there are.
own_profiles <- function() {
  known <- grep("^dpadmm-", names(getFromNamespace("..", "mirai")), value = TRUE)
  sum(vapply(known, mirai::daemons_set, NA))
}

#' Another daemon for a profile, there when this returns.
start_again <- function(profile) {
  mirai::launch_local(1, .compute = profile)
  while (mirai::status(.compute = profile)$connections < 1L) Sys.sleep(0.05)
}

#' Whether processes end within some seconds; one that nobody has waited for has ended.
end_soon <- function(pids, seconds = 30) {
  runs <- function(pid) {
    status <- file.path("/proc", pid, "status")
    if (!file.exists("/proc/self/status")) return(isTRUE(tools::pskill(as.integer(pid), 0L)))
    state <- tryCatch(grep("^State:", readLines(status), value = TRUE), # it may end meanwhile
      error = function(e) NULL, warning = function(w) NULL
    )
    length(state) > 0L && !grepl("Z", state, fixed = TRUE)
  }
  until <- Sys.time() + seconds
  while (any(vapply(pids, runs, NA)) && Sys.time() < until) Sys.sleep(0.05)
  !vapply(pids, runs, NA)
}

#' What an error or warning says, as plain lists.
caught <- function(code) {
  conditions <- list()
  keep <- function(e) {
    conditions[[length(conditions) + 1L]] <<- list(
      class = class(e), argument = e$argument, place = e$place, message = conditionMessage(e)
    )
  }
  value <- tryCatch(
    withCallingHandlers(code, warning = function(w) {
      keep(w)
      invokeRestart("muffleWarning")
    }),
    error = function(e) {
      keep(e)
      NULL
    }
  )
  list(value = value, conditions = conditions)
}
