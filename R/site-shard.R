# A shard: a site in a daemon of package mirai, on the machine that has its records.

#' What a daemon does with a request of its hub. The shard is made at the first, and kept.
#' @param key of the shard, drawn by the hub.
#' @param how list(policy, load, peers), see shard_plans(). `NULL`: the shard is there already.
#' @return as site_answer(), or list(unbuilt = TRUE): this process does not know the shard.
#' @noRd
shard_answer <- function(key, request, arguments, how = NULL) {
  shard <- tryCatch(
    registered_site(key, function() if (!is.null(how)) build_shard(how)),
    # one operator has all of it: nothing is told that it may not know
    error = function(e) list(error = "site", message = conditionMessage(e), field = e$argument)
  )
  if (is.null(shard)) return(list(unbuilt = TRUE))
  if (!inherits(shard, "dpadmm_site")) return(shard)
  site_answer(shard, request, arguments)
}

#' @param asked arguments of shard_answer(), by place.
#' @noRd
shard_task <- function(asked) do.call(shard_answer, asked)

#' The file of the identity that a shard makes for itself: beside its ledger, if that stays.
#' @noRd
shard_identity <- function(site, ledger) {
  if (is.null(ledger)) ledger <- file.path(tempdir(), "shard")
  sprintf("%s-%s.key", ledger, site)
}

#' The public key of a shard, which its hub gives to the others; `NULL`: it has none.
#' @noRd
shard_peer <- function(site, ledger) {
  if (!requireNamespace("sodium", quietly = TRUE)) return(NULL)
  tryCatch(site_identity(shard_identity(site, ledger)), dpadmm_error = function(e) NULL)
}

#' The policy of a shard that knows the others, if it is still who they know.
#' @param peers of all shards, by name, or `NULL`.
#' @noRd
with_peers <- function(policy, peers) {
  own <- if (!is.null(peers)) shard_peer(policy$site, policy$ledger)
  if (is.null(own) || own != peers[[policy$site]]) return(policy)
  policy$identity <- shard_identity(policy$site, policy$ledger)
  policy$peers <- peers
  policy
}

#' @param how `policy`: an object, or the path of its file on this machine; `load`, function(): the
#'   records, or of the shard's name; `NULL`: the policy says where; `peers`: see with_peers().
#' @noRd
build_shard <- function(how) {
  policy <- how$policy
  if (!is.character(policy)) policy <- with_peers(policy, how$peers)
  load <- how$load
  if (is.null(load)) return(dpadmm_site(policy))
  data <- tryCatch(
    if (length(formals(args(load)))) load(policy$site) else load(),
    error = function(e) {
      abort("site", sprintf("its records cannot be loaded: %s", conditionMessage(e)),
        argument = "source", parent = e
      )
    }
  )
  dpadmm_site(policy, data)
}

# ---- at the hub: what a daemon needs to make its shard ---------------------------------------

.shard_files <- c("csv", "rds", "parquet", "feather", "arrow")
.largest_source <- 1e5

#' How each shard is made: its policy, or the path of one, and a function that loads its records.
#' @param of `schema`, `epsilon`, `delta`, `ledger` and `simulation`.
#' @noRd
shard_plans <- function(names, source, of) {
  sources <- for_each_shard(source, names, "source")
  ledgers <- for_each_shard(of$ledger, names, "ledger")
  lapply(stats::setNames(nm = names), function(name) {
    from <- check_source(sources[[name]], name)
    if (is_policy_file(from)) return(list(policy = from))
    if (is.null(of$schema) || is.null(of$epsilon)) {
      abort("argument", sprintf(
        "`schema` and `epsilon` are missing: the source of \"%s\" is no policy file.", name
      ), argument = if (is.null(of$schema)) "schema" else "epsilon", place = name)
    }
    path <- if (is.character(from)) from
    policy <- site_policy(name, of$schema, of$epsilon, of$delta, source = path,
      ledger = ledgers[[name]], simulation = of$simulation
    )
    list(policy = policy, load = if (is.function(from)) from)
  })
}

is_policy_file <- function(from) is.character(from) && tolower(tools::file_ext(from)) == "dcf"

#' One value for all, or one for each by name.
#' @noRd
for_each_shard <- function(x, names, argument) {
  one <- is.null(x) || is.function(x) || is.data.frame(x) || is.null(base::names(x))
  if (one) return(stats::setNames(rep(list(x), length(names)), names))
  if (length(odd <- c(setdiff(names, base::names(x)), setdiff(base::names(x), names)))) {
    abort("argument", sprintf("`%s` and the sites must have the same names: \"%s\" is in one only.",
      argument, odd[1L]), argument = argument, place = odd[1L])
  }
  as.list(x)[names]
}

#' A path, or a function without the text it was read from. Records never travel.
#' @noRd
check_source <- function(from, name) {
  wrong <- function(...) abort("argument", sprintf(...), argument = "source", place = name)
  if (is.function(from)) {
    if (!is.primitive(from)) from <- utils::removeSource(from)
    if ((bytes <- length(serialize(from, NULL))) > .largest_source) {
      wrong(paste(
        "The function of \"%s\" in `source` would take %.0f bytes along from here: it must load",
        "records there. Define it outside of functions that hold records."
      ), name, bytes)
    }
    return(from)
  }
  if (is.data.frame(from) || is.matrix(from) || is.numeric(from)) {
    wrong(paste(
      "Records are never sent to a site: `source` of \"%s\" must say where they are on its",
      "machine, a path or a function that loads them there, not %s."
    ), name, kind_of(from))
  }
  text <- is.character(from) && length(from) == 1L && !is.na(from)
  if (!text || !tolower(tools::file_ext(from)) %in% c("dcf", .shard_files)) {
    wrong("`source` of \"%s\" must be a function or a path that ends in %s.", name,
      paste0(".", c("dcf", .shard_files), collapse = ", ")
    )
  }
  from
}
