# What a secure sum costs a site: the masks of a round for 1,000 numbers and 50 sites, the whole
# round, and that round of a plain sum. Least CPU time of several, in turns.
# Rscript bench/masks.R
library(dpadmm)
source("bench/helpers.R")

d <- 1000
n <- 50
cpu <- function(code) {
  gc(FALSE)
  sum(system.time(code, gcFirst = FALSE)[1:2])
}
least <- function(...) {
  code <- list(...)
  times <- replicate(15, vapply(code, function(f) cpu(for (k in 1:20) f()) / 20, 0))
  apply(times, 1L, min)
}

# masks alone
masked <- dpadmm:::masked
keys <- as.raw(sample(0:255, 32 * (n - 1), TRUE))
words <- raw(8 * d)
asked <- list(round = 1, attempt = 0, inbox = strrep("0", 64))

# a site of fifty, with few records: the rest of a round is its records' alone
levels <- sprintf("l%03d", seq_len(d - 2))
public <- dpadmm_schema(x = c(0, 1), unit = levels, y = c("no", "yes"))
sizes <- stats::setNames(rep(100, n), sprintf("s%d", seq_len(n)))
data <- data.frame(x = (1:100) / 100, unit = levels[1:100], y = c("no", "yes"))
folder <- tempfile()
dir.create(folder)
files <- stats::setNames(file.path(folder, names(sizes)), names(sizes))
peers <- vapply(files, site_identity, "")
site_of <- function(name) {
  dpadmm_site(site_policy(name, public, 1e3, 1e-3, identity = files[[name]], peers = peers), data)
}
say <- function(site, ...) {
  answer <- dpadmm:::site_answer(site, ...)
  if (!is.null(answer$error)) stop(answer$message)
  answer$value
}
begin <- function(aggregation) {
  plan <- dpadmm_plan(y ~ x + unit, public, sizes, method = grad_admm(), epsilon = 8,
    delta = 1e-5, na.action = "omit", seed = 1, iterations = 900, aggregation = aggregation)
  run <- dpadmm:::new_run()
  recipe <- dpadmm:::text_to_wire(dpadmm:::plan_recipe(plan))
  secure <- aggregation == "secure"
  sites <- lapply(if (secure) names(sizes) else "s1", site_of)
  signed <- lapply(sites, function(site) {
    say(site, "open", list(run = run, recipe = recipe))$signed
  })
  site <- sites[[1L]]
  if (secure) say(site, "join", list(run = run, keys = dpadmm:::keys_to_wire(signed)))
  inbox <- dpadmm:::doubles_to_wire(numeric(plan$problem$d))
  round <- 0
  function() {
    round <<- round + 1
    arguments <- list(run = run, round = round, inbox = inbox)
    if (secure) arguments$attempt <- 0
    say(site, "step", arguments)
  }
}
secure <- begin("secure")
plain <- begin("plain")
times <- 1000 * least(function() masked(words, keys, 25, asked), secure, plain)
names(times) <- c("masks", "a round of a secure sum", "that of a plain one")
cat(sprintf("%s: %.2f ms\n", names(times), times), sep = "")
report("ms of CPU that masks of 50 sites cost a round of 1,000 numbers", times[[1L]], 3)
report("ms of CPU of the whole round", times[[2L]], 3)
