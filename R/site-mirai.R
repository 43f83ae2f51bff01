#' Sites of one operator on many machines
#'
#' One data set in shards, each on a machine of its own, and one person who runs all of them:
#' package mirai carries the messages. Each shard is loaded once, on its machine, and stays
#' there; what travels is the text of the plan and d numbers each way a round.
#'
#' Whoever runs the hub can have a mirai daemon evaluate whatever they like, so this is for records
#' that they may read. Holders who do not trust each other use [sites_datashield()].
#'
#' @section Daemons:
#' The hub listens at each of `urls`, and on the machine of that shard somebody starts R with
#' dpadmm installed:
#' ```
#' Rscript -e 'mirai::daemon("tcp://hub:5555", dispatcher = FALSE)'
#' ```
#' One daemon a shard, `dispatcher = FALSE` always. None is started from here; `sites_mirai()`
#' waits for them up to `deadline` seconds, and says after a second for which, with the line
#' to start it. `asyncdial = TRUE` has a daemon wait for a hub that does not listen yet, and
#' `autoexit = FALSE` outlive one. A daemon that ended is a lost site: the fit goes on without it,
#' or stops with fewer than `min_sites`. After it was started anew and has dialled in,
#' [dpadmm_resume()] with the same `sites` goes on, and its ledger on disk knows that the run is
#' charged. A daemon that is only slow is late, and is never asked to do a round a second time: it
#' has stored its answer.
#'
#' With a url `"tls+tcp://..."` what travels is encrypted, and daemons know the hub by its
#' certificate: `tls`, or, if `NULL`, one that is made for the occasion and which the line to start
#' a daemon has. Without TLS use a network that is yours.
#'
#' `profiles` are compute profiles of mirai that are there already, made by
#' `mirai::daemons(url =, .compute =)`, with a daemon each. They may be launched by mirai, by ssh
#' or a cluster's scheduler (`mirai::launch_remote()`).
#'
#' @section Secure sums:
#' Three shards or more, with package sodium at each, can form secure sums (see [secure_sum()]):
#' with policy files, where these have identities, see [site_identity()]; without, each shard
#' makes an identity of its own (beside its `ledger`, `<ledger>-<site>.key`, or else until its
#' daemon ends), and the hub carries the public keys between them once, in `sites_mirai()`. That
#' is trust in the operator, whose process could put keys of its own in their place, as it could
#' read the records: what secure sums are for, here, is less noise in the model, with nobody else
#' trusted and no message in the hub's logs that opens. A shard without a ledger whose daemon was
#' started anew has another identity, and takes part in secure sums after `sites_mirai()` was
#' called again.
#'
#' @param urls a named character vector, by site: where the hub listens, `"tcp://host:port"` or
#'   `"tls+tcp://host:port"`.
#' @param source where the records of a shard are **on its machine**: one for all, or a list or
#'   vector by site. A path (`.csv`, `.rds`, `.parquet`, `.feather`); the path of the shard's own
#'   policy (`.dcf`, see [site_policy()]); or a function that loads a data frame there, called
#'   with the site's name, or with nothing if it has no argument.
#' @param schema,epsilon,delta,simulation of the policy that all have, see [site_policy()]. Not
#'   for shards whose `source` is a policy file.
#' @param ledger path of the ledger on the shard's machine, one for all or by site. `NULL`: a
#'   temporary one, which is forgotten with its daemon, and what it was charged with it.
#' @param tls certificate and key of the hub, see `mirai::daemons()`.
#' @param deadline seconds to wait: for the daemons, and for the answers of a round (> 0, or
#'   `Inf`). The first answer takes as long as loading the records does.
#' @param min_sites,analyst see [sites].
#' @param profiles in place of `urls`: names of compute profiles, named by site.
#' @return An object of class `dpadmm_sites`, see [sites]. `close()` ends the daemons that dialled
#'   in at `urls`, as does the end of this R session; those of `profiles` are their maker's.
#' @seealso [sites], [dpadmm_resume()], [site_policy()].
#' @examplesIf interactive()
#' columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
#' load_shard <- function(name) {
#'   age <- sample(20:90, 300, TRUE)
#'   data.frame(age = age, ill = ifelse(age / 90 + rnorm(300, sd = 0.3) > 0.7, "yes", "no"))
#' }
#' # on other machines these would be started there
#' urls <- c(a = "tcp://127.0.0.1:5555", b = "tcp://127.0.0.1:5556")
#' for (url in urls) {
#'   code <- sprintf("mirai::daemon('%s', dispatcher = FALSE, asyncdial = TRUE)", url)
#'   system2("Rscript", c("-e", shQuote(code)), wait = FALSE)
#' }
#' sites <- sites_mirai(urls, load_shard, columns, epsilon = 20, delta = 1e-5)
#' plan <- dpadmm_plan(ill ~ age, sites, epsilon = 8, delta = 1e-5)
#' coef(dpadmm_fit(plan, sites))
#' close(sites)
#' @export
sites_mirai <- function(urls = NULL, source, schema = NULL, epsilon = NULL, delta = 0,
                        ledger = NULL, tls = NULL, simulation = FALSE, deadline = 300,
                        min_sites = NULL, analyst = "analyst", profiles = NULL) {
  need_package(c("mirai", "digest", "jsonlite"), "sites of mirai")
  if (missing(source)) abort("argument", "`source` is missing.", argument = "source")
  given <- check_shards(urls, profiles)
  how <- shard_plans(names(given), source, list(schema = schema, epsilon = epsilon, delta = delta,
    ledger = ledger, simulation = simulation))
  check_number(deadline, "deadline", lower = 0, open_lower = TRUE, infinite = TRUE)
  leave <- function() invisible()
  busy <- function() FALSE
  up <- FALSE
  on.exit(if (!up) leave())
  if (is.null(profiles)) {
    check_tls(tls, urls)
    own <- paste0("dpadmm-", substr(new_run(), 1L, 8L), "-", names(urls))
    profiles <- stats::setNames(own, names(urls))
    leave <- function() {
      let_answer(busy)
      for (profile in own) mirai::daemons(0, .compute = profile)
    }
    for (name in names(urls)) listen(urls[[name]], tls, profiles[[name]], name)
  }
  wait_for_daemons(profiles, deadline)
  line <- mirai_line(profiles, introduced(profiles, how, deadline))
  busy <- line$busy
  sites <- new_sites("mirai", names(profiles), line$post, line$fetch, leave, deadline, min_sites,
    analyst, wait = 0.0005
  )
  up <- TRUE
  sites
}

#' @export
close.dpadmm_sites <- function(con, ...) {
  check_no_dots(...)
  unclass(con)$close()
  invisible()
}

check_shards <- function(urls, profiles) {
  if (is.null(urls) == is.null(profiles)) {
    abort("argument", "Either `urls` or `profiles` must be given.", argument = "urls")
  }
  given <- if (is.null(urls)) profiles else urls
  argument <- if (is.null(urls)) "profiles" else "urls"
  wrong <- function(words) {
    abort("argument", sprintf("`%s` must be %s.", argument, words), argument = argument)
  }
  named <- is.character(given) && length(given) >= 2L && !anyNA(given) && !is.null(names(given)) &&
    all(grepl("^[A-Za-z0-9_.+-]{1,100}$", names(given))) && !anyDuplicated(names(given))
  if (!named) {
    wrong("two or more texts whose names, letters, digits and _.+-, are the sites'")
  }
  apart <- if (is.null(urls)) given else given[!grepl(":0$", given)] # port 0: a free one
  if (anyDuplicated(apart)) wrong("another one for each site")
  if (is.null(urls)) {
    unset <- !vapply(given, mirai::daemons_set, NA)
    if (any(unset)) wrong(sprintf("set by mirai::daemons(), as \"%s\" is not", given[unset][1L]))
  } else if (!all(grepl("^(tls[+])?tcp://.+:[0-9]+$", given))) {
    wrong("like \"tcp://host:5555\" or \"tls+tcp://host:5555\"")
  }
  given
}

check_tls <- function(tls, urls) {
  if (is.null(tls)) return(invisible())
  ok <- is.character(tls) && !anyNA(tls) &&
    (length(tls) == 2L || (length(tls) == 1L && file.exists(tls)))
  if (!ok) {
    abort("argument", "`tls` must be a file with certificate and key, or these two texts.",
      argument = "tls"
    )
  }
  plain <- urls[!startsWith(urls, "tls+")]
  if (length(plain)) {
    abort("argument", sprintf("With `tls` the urls must begin with tls+tcp://, unlike \"%s\".",
      plain[1L]), argument = "urls", place = names(plain)[1L])
  }
}

listen <- function(url, tls, profile, name) {
  tryCatch(mirai::daemons(url = url, dispatcher = FALSE, tls = tls, .compute = profile),
    error = function(e) {
      abort("argument", sprintf("The hub cannot listen at %s in `urls`: %s.", url,
        sub(".*[|] *", "", conditionMessage(e))), argument = "urls", place = name)
    }
  )
}

# ---- the line ----------------------------------------------------------------------------

connections <- function(profile) mirai::status(.compute = profile)$connections

#' Every shard has one daemon, before anything is asked.
#' @noRd
wait_for_daemons <- function(profiles, seconds) {
  begin <- Sys.time()
  told <- FALSE
  repeat {
    counts <- vapply(profiles, connections, 0L)
    missing <- names(profiles)[counts < 1L]
    if (length(missing) == 0L) break
    waited <- as.double(Sys.time() - begin, units = "secs")
    if (waited > seconds) {
      abort_site(missing[1L], sprintf(
        "no daemon has dialled in at %s within %g seconds (with dispatcher = FALSE, and tlscert?)",
        mirai::status(.compute = profiles[[missing[1L]]])$daemons, seconds
      ), "urls")
    }
    if (!told && waited > 1) {
      say_waiting(profiles[missing])
      told <- TRUE
    }
    Sys.sleep(0.02)
  }
  if (any(counts > 1L)) {
    abort_site(names(profiles)[counts > 1L][1L], "more than one daemon has dialled in", "urls")
  }
}

say_waiting <- function(profiles) {
  lines <- vapply(profiles, function(profile) {
    line <- trimws(as.character(mirai::launch_remote(1L, .compute = profile)))
    sub(",rs=c[(][-0-9,]*[)]", "", line) # R's generator is not used there
  }, "")
  message(structure(class = c("dpadmm_message_waiting", "message", "condition"), list(
    message = paste0("No daemon yet for these sites, where one is started with\n",
      paste0(names(profiles), ":\n", lines, "\n", collapse = "")),
    sites = names(profiles), call = NULL
  )))
}

#' How shards are made that know each other by a key, where all can: those that have no policy of
#' their own give theirs to the hub, and it gives all of them to all.
#' @noRd
introduced <- function(profiles, how, seconds) {
  own <- vapply(how, function(h) !is.character(h$policy), NA)
  if (length(how) < 3L || !all(own)) return(how)
  asked <- Map(function(profile, h) {
    mirai::mirai(.peer_call, .args = list(a = h$policy[c("site", "ledger")]), .compute = profile,
      .timeout = if (is.finite(seconds)) 1000 * seconds)
  }, profiles, how)
  said <- lapply(asked, function(task) mirai::call_mirai(task)$data)
  keys <- vapply(said, function(x) is.character(x) && grepl("^[0-9a-f]{64}$", x[1L]), NA)
  if (!all(keys)) return(how)
  lapply(how, function(h) c(h, list(peers = unlist(said))))
}

.peer_call <- quote(evalq(shard_peer, asNamespace("dpadmm"))(a$site, a$ledger))

# what a daemon is told of `a`, a request: short words, as all of this travels each round
.shard_call <- quote(evalq(shard_task, asNamespace("dpadmm"))(a))

#' Tasks of the shards' daemons. A task goes on whoever waits for it, so what is unresolved is
#' asked for again and never sent again; without a daemon it would be so for ever.
#' @return list(post, fetch), see new_sites(), and busy(): whether an answer is coming.
#' @noRd
mirai_line <- function(profiles, how) {
  keys <- vapply(profiles, function(profile) new_run(), "")
  tasks <- asked <- vector("list", length(profiles))
  send <- function(i) {
    tasks[i] <<- list(NULL)
    # a profile that is no more would have mirai start a process, here
    if (!mirai::daemons_set(profiles[[i]])) return(invisible())
    tasks[[i]] <<- mirai::mirai(.shard_call, .args = list(a = asked[[i]]),
      .compute = profiles[[i]]
    )
  }
  post <- function(i, request, arguments) {
    asked[[i]] <<- list(keys[[i]], request, unname(arguments))
    send(i)
  }
  fetch <- function(i) {
    if (is.null(tasks[[i]])) stop("its compute profile was reset")
    daemons <- connections(profiles[[i]])
    if (mirai::unresolved(tasks[[i]])) {
      if (daemons < 1L) stop("its daemon has gone")
      return(NULL)
    }
    answer <- tasks[[i]]$data
    if (mirai::is_mirai_error(answer)) {
      return(list(error = "site", message = answer$message, field = NULL))
    }
    if (mirai::is_error_value(answer)) stop("its daemon has gone: ", format(answer))
    if (is.list(answer) && isTRUE(answer$unbuilt) && length(asked[[i]]) == 3L) {
      asked[[i]][[4L]] <<- how[[i]]
      send(i)
      return(NULL)
    }
    answer
  }
  busy <- function() {
    coming <- vapply(tasks, function(task) !is.null(task) && mirai::unresolved(task), NA)
    any(vapply(profiles[coming], connections, 0L) > 0L)
  }
  list(post = post, fetch = fetch, busy = busy)
}
