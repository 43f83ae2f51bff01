# How the sites of a secure sum come to keys that no hub has. When a run is opened each site makes
# a key for this run alone (X25519) and signs its public half; the hub gives all of them to all;
# each site checks all signatures by its own policy, and makes with each other site a key that
# only these two can know. Key agreement, signatures and hashes are libsodium's.

.key_bytes <- 32L
.signed_bytes <- 96L # a public key and its signature

#' What a policy allows of a secure sum: it knows everybody by a key.
#' @noRd
check_site_secure <- function(policy, plan) {
  if (!is_secure(plan)) return(invisible())
  names <- plan$problem$names
  if (length(names) < 3L) {
    decline("A sum of fewer than three sites would tell each what the other sent.", "sizes")
  }
  if (is.null(policy$identity)) {
    decline("A secure sum needs an `Identity` and `Peers` in the policy.", "Identity")
  }
  if (!requireNamespace("sodium", quietly = TRUE)) {
    decline("A secure sum needs the package sodium at the site.", "aggregation")
  }
  if (length(names) - plan$secure$honest < policy$colluders) {
    decline(sprintf("The policy wants noise for %s that may collude.",
      count_words(policy$colluders, "site")), "honest")
  }
  if (length(odd <- setdiff(names, names(policy$peers)))) {
    decline(sprintf("\"%s\" is not among the policy's peers.", odd[1L]), "Peers")
  }
}

#' The key of a site for one run.
#' @param run its name. @param plan the digest of its text. @param names of all sites, in order.
#' @return list(secret, signed), the second for everybody.
#' @noRd
run_keys <- function(policy, run, plan, names) {
  secret <- noise_key()
  public <- sodium::pubkey(secret)
  statement <- key_statement(run, plan, names, policy$site, public)
  unread <- function(e) {
    forget_key(secret)
    decline("The site's identity cannot be read.", "Identity")
  }
  signature <- tryCatch(identity_sign(policy$identity, statement), dpadmm_error_policy = unread)
  list(secret = secret, signed = c(public, signature))
}

#' What a signature is of. No name holds the end of a line.
#' @noRd
key_statement <- function(run, plan, names, name, public) {
  charToRaw(paste(c("dpadmm secure sum 1", run, plan, length(names), names, name,
    sodium::bin2hex(public)), collapse = "\n"))
}

#' The signed keys of all sites, as one text and back; `NULL` where there are not so many.
#' @noRd
keys_to_wire <- function(signed) to_wire(as.raw(unlist(signed, use.names = FALSE)))

keys_from_wire <- function(text, sites) {
  bytes <- from_wire(text)
  if (length(bytes) != .signed_bytes * sites) return(NULL)
  matrix(bytes, .signed_bytes)
}

#' Every key is signed, for this run and by whom the policy knows by that name.
#' @param signed a column a site.
#' @noRd
check_signed <- function(policy, signed, run, plan, names) {
  for (j in seq_along(names)) {
    key <- signed[seq_len(.key_bytes), j]
    message <- key_statement(run, plan, names, names[j], key)
    good <- identity_signed(policy$peers[[names[j]]], message, signed[-seq_len(.key_bytes), j])
    if (!good) {
      decline(sprintf("The key of \"%s\" is not signed by it for this run.", names[j]), "keys")
    }
  }
  again <- names[duplicated(t(signed[seq_len(.key_bytes), , drop = FALSE]))]
  if (length(again)) decline(sprintf("\"%s\" has the key of another site.", again[1L]), "keys")
}

#' The keys that a site shares with each other one, in their order.
#' @param own which of the sites it is.
#' @return raw, 32 bytes each.
#' @noRd
pair_keys <- function(secret, signed, own, run, plan) {
  public <- signed[seq_len(.key_bytes), , drop = FALSE]
  label <- charToRaw(paste("dpadmm secure sum 1", run, plan))
  keys <- lapply(seq_len(ncol(public))[-own], function(j) {
    shared <- tryCatch(sodium::diffie_hellman(secret, public[, j]), error = function(e) {
      decline("A key of another site is none.", "keys") # a point of small order
    })
    on.exit(forget_key(shared))
    # both of a pair take the two in the order of the sites
    sodium::hash(c(label, public[, min(own, j)], public[, max(own, j)]), key = shared, size = 32)
  })
  unlist(keys)
}

#' The keys of all sites arrive: from now on there are masks. The same keys again change nothing,
#' other ones are refused.
#' @param keys of keys_to_wire(): a key and a signature of each site, in the plan's order.
#' @noRd
site_join <- function(site, run, keys) {
  check_run_name(run)
  live <- live_run(site, run, with_store(site, function(con) store_last(con, run_at(site, run))))
  if (!is_secure(live$plan)) decline("This run has no secure sum.", "run")
  names <- live$plan$problem$names
  signed <- keys_from_wire(keys, length(names))
  if (is.null(signed)) decline("There must be a key and a signature of each site.", "keys")
  with_store(site, function(con) {
    ledger_transaction(con, function(con) {
      row <- store_run(con, run_at(site, run), "plan, secret, signed, roster")
      same <- digest_of(as.integer(signed))
      if (!is.na(row$roster)) {
        if (row$roster != same) decline("The sites of this run have other keys.", "keys")
        return()
      }
      if (!identical(signed[, live$party], row$signed)) {
        decline(sprintf("The key of \"%s\" is not the one it gave.", site$policy$site), "keys")
      }
      check_signed(site$policy, signed, run, row$plan, names)
      masks <- pair_keys(row$secret, signed, live$party, run, row$plan)
      on.exit(forget_key(masks))
      store_masks(con, run_at(site, run), same, masks)
    })
  })
  NULL
}

#' The keys that a site shares with the others are in this process, and there is no message without.
#' @noRd
run_masks <- function(site, run) {
  if (!is.null(site$live[[run]]$masks)) return(invisible())
  row <- with_store(site, function(con) store_run(con, run_at(site, run), "masks"))
  if (is.null(row$masks)) decline("The sites of this run have no keys yet.", "keys")
  site$live[[run]]$masks <- row$masks
}

#' A message with the masks of a round and an attempt, which only the messages of all other sites
#' take off: those for the same inbox, so that a sum of answers to unlike questions is noise.
#' @param words raw, 8 bytes a number. @param masks of pair_keys(). @param own which site it is.
#' @param asked list(round, attempt, inbox), the last a digest.
#' @noRd
masked <- function(words, masks, own, asked) {
  inbox <- charToRaw(asked$inbox)
  key <- matrix(masks, .key_bytes)
  keys <- unlist(lapply(seq_len(ncol(key)), function(j) {
    sodium::hash(inbox, key = key[, j], size = .key_bytes)
  }))
  on.exit(forget_key(keys))
  # the earlier of a pair adds, the later subtracts
  minus <- seq_len(ncol(key)) < own
  core_call(.Call(ffi_mask, words, keys, minus, as.double(asked$round), as.double(asked$attempt)))
}

# ---- attempts ----------------------------------------------------------------------------

#' Which attempt at a round is asked for, of as many as the plan has room for.
#' @noRd
check_attempt <- function(plan, attempt) {
  if (!is_secure(plan)) {
    if (!is.null(attempt)) decline("Only rounds of secure sums have attempts.", "attempt")
    return(0L)
  }
  if (!is_whole(attempt) || attempt < 0 || attempt > plan$secure$failures) {
    decline(sprintf("The attempt must be one of 0 to %d.", plan$secure$failures), "attempt")
  }
  as.integer(attempt)
}

#' Whether a round that was answered is asked for anew. That is one more release, and the run was
#' charged for so many.
#' @noRd
is_next_attempt <- function(plan, last, attempt) {
  before <- if (is.na(last$attempt)) 0L else last$attempt # a run of before there were attempts
  if (attempt == before) return(FALSE)
  if (attempt < before) {
    decline(sprintf("Attempt %d at this round is over.", attempt), "attempt")
  }
  if (last$extra >= plan$secure$failures) {
    decline(sprintf("This run has no room for another attempt: it had %d.", plan$secure$failures),
      "attempt"
    )
  }
  TRUE
}

#' The site's own part of a sum, with its share of the noise, of the round that it has done.
#' @noRd
own_words <- function(handle, attempt) core_call(.Call(ffi_party_share, handle, attempt))

#' What of it leaves the site.
#' @noRd
own_share <- function(live, asked, values) {
  asked$inbox <- digest_of(values)
  masked(own_words(live$handle, asked$attempt), live$masks, live$party, asked)
}
