# Hospitals behind DSLite: each with records, a policy and a server of its own. And a connection
# that writes down what goes through it, and may do something else with it.

#' Policies and records in a directory, servers, and a login; all gone when `frame` is left.
#' @param frames a named list of data frames. @param ... of site_policy().
#' @param known of known_sites(): for secure sums.
#' @return list(home, conns, data, servers).
hospitals <- function(frames, schema, ..., epsilon = 50, delta = 1e-5, known = NULL,
                      frame = parent.frame()) {
  skip_if_not_installed("DSLite")
  skip_if_not_installed("RSQLite")
  home <- normalizePath(tempfile("hospitals"), winslash = "/", mustWork = FALSE)
  dir.create(home)
  old <- Sys.getenv("DPADMM_POLICIES", NA)
  Sys.setenv(DPADMM_POLICIES = home)
  servers <- new.env()
  option <- options(datashield.env = servers, datashield.progress = FALSE)
  do.call(on.exit, list(bquote({
    options(.(option))
    if (is.na(.(old))) Sys.unsetenv("DPADMM_POLICIES") else Sys.setenv(DPADMM_POLICIES = .(old))
  }), add = TRUE), envir = frame)
  builder <- DSI::newDSLoginBuilder()
  for (name in names(frames)) {
    write_hospital(home, name, frames[[name]], schema, epsilon = epsilon, delta = delta,
      identity = known$file[[name]], peers = known$peers, ...)
    servers[[name]] <- DSLite::newDSLiteServer(config = DSLite::defaultDSConfiguration("dpadmm"))
    builder$append(paste0("at_", name), name, driver = "DSLiteDriver")
  }
  suppressMessages(conns <- DSI::datashield.login(builder$build()))
  data <- stats::setNames(paste0("icu.", names(frames)), names(conns))
  list(home = home, conns = conns, data = data, servers = servers)
}

write_hospital <- function(home, name, records, schema, ...) {
  source <- file.path(home, paste0(name, ".csv"))
  utils::write.csv(records, source, row.names = FALSE)
  id <- paste0("icu.", name)
  site_policy_file(file.path(home, paste0(id, ".dcf")), data = id, site = name, source = source,
    ledger = file.path(home, paste0(name, ".sqlite")), schema = schema, ...)
}

#' Records whose numbers are the same in a CSV file.
patients <- function(n, seed) {
  draw <- function(k) (sin(seq_len(n) * k + seed) * 43758.5453) %% 1
  age <- 20 + floor(70 * draw(1.3))
  bmi <- round(15 + 30 * draw(2.7), 2)
  data.frame(
    age = age, smoker = ifelse(draw(3.1) > 0.6, "yes", "no"), bmi = bmi,
    w = round(draw(4.9), 2), t = round(1 + draw(5.3), 2),
    cost = round(20 + age / 2 + 30 * draw(6.1), 2),
    ill = ifelse(age / 90 + draw(7.7) / 2 > 0.8, "yes", "no")
  )
}

patient_columns <- function() {
  dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"), bmi = c(10, 50), w = c(0, 1),
    t = c(1, 2), cost = c(0, 100), ill = c("no", "yes"))
}

#' A connection that hands each call to `behave(call, inner)`: a function that gives the answer,
#' or `NULL` while there is none.
spy <- function(conn, log = new.env(), behave = NULL) {
  if (!methods::isClass("SpyConnection", where = globalenv())) spy_classes()
  if (is.null(behave)) {
    behave <- function(call, inner) {
      answer <- DSI::dsFetch(DSI::dsAggregate(inner, call))
      log$answers <- c(log$answers, list(answer))
      function() answer
    }
  }
  methods::new("SpyConnection", name = conn@name, inner = conn, log = log, behave = behave)
}

spy_classes <- function(where = globalenv()) {
  methods::setClass("SpyConnection", contains = "DSConnection", where = where,
    slots = list(name = "character", inner = "ANY", log = "environment", behave = "function"))
  methods::setClass("SpyResult", contains = "DSResult", where = where,
    slots = list(answer = "function"))
  methods::setMethod(DSI::dsIsAsync, "SpyConnection", function(conn) list(aggregate = TRUE),
    where = where)
  methods::setMethod(DSI::dsAggregate, "SpyConnection", function(conn, expr, async = TRUE) {
    conn@log$calls <- c(conn@log$calls, list(expr))
    methods::new("SpyResult", answer = conn@behave(expr, conn@inner))
  }, where = where)
  methods::setMethod(DSI::dsIsCompleted, "SpyResult", function(res) !is.null(res@answer()),
    where = where)
  methods::setMethod(DSI::dsFetch, "SpyResult", function(res) res@answer(), where = where)
}
