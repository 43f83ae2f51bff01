# Who a site is to other sites: a key to sign with, which its custodian made and keeps in a file,
# and the public keys of the others, which custodians gave each other. Signatures are libsodium's.

.identity_bytes <- 32L

#' The identity of a site
#'
#' In a secure sum a site hides what it sends by keys that it shares with each other site, and
#' the hub carries the public halves of these keys between them. So that the hub cannot put keys
#' of its own in their place, each site signs its half, and the others know by what key:
#' custodians give each other their public keys beforehand, by telephone or on paper, and write
#' all of them into their policies.
#'
#' `site_identity()` makes a key (Ed25519, of package sodium) where there is none yet, and tells
#' its public half. The file holds 32 bytes, is readable by its owner alone (mode 0600), and is
#' refused by sites where others can read it. It belongs to the site that made it: who has a copy
#' can pass for the site. In the policy of each site `Identity` is its own file and `Peers` the
#' same lines for all, its own among them:
#' ```
#' Identity: /srv/icu/identity.key
#' Peers:
#'   north: 2d3a9c...
#'   south: 77f01b...
#'   east: c05e88...
#' ```
#'
#' @param file the path of the key: made where there is none, never written over.
#' @return The public key: 64 hexadecimal digits. Errors are of class `dpadmm_error_policy`, with
#'   `Identity` as their `argument` and the file as their `place`.
#' @seealso [site_policy_file()], [dpadmm_site()], `vignette("secure-sums")`.
#' @examplesIf requireNamespace("sodium", quietly = TRUE)
#' file <- tempfile(fileext = ".key")
#' site_identity(file)
#' @export
site_identity <- function(file) {
  need_package("sodium", "identities of sites")
  if (is.null(check_word(file, "file"))) {
    abort("argument", "`file` must be the path of the key.", argument = "file")
  }
  if (!file.exists(file)) write_identity(file)
  public_identity(file)
}

#' A new key, readable by nobody else from its first byte on.
#' @noRd
write_identity <- function(file) {
  key <- noise_key()
  on.exit(forget_key(key))
  old <- Sys.umask("177")
  on.exit(Sys.umask(old), add = TRUE)
  failed <- function(e) abort_identity(file, "it cannot be written")
  tryCatch(writeBin(key, file), error = failed, warning = failed)
}

#' The key of a site: forget it after use.
#' @noRd
read_identity <- function(file) {
  info <- file.info(file, extra_cols = FALSE)
  if (is.na(info$size) || info$isdir) abort_identity(file, "there is no such file")
  if (.Platform$OS.type == "unix" && bitwAnd(info$mode, 63L) != 0L) {
    abort_identity(file, "others than its owner may read it: its mode must be 0600")
  }
  failed <- function(e) abort_identity(file, "it cannot be read")
  key <- tryCatch(readBin(file, "raw", .identity_bytes + 1L), error = failed, warning = failed)
  if (length(key) == .identity_bytes) return(key)
  forget_key(key)
  abort_identity(file, "it is no key: site_identity() makes one")
}

abort_identity <- function(file, words) {
  abort("policy", sprintf("The identity %s: %s.", file, words), argument = "Identity", place = file)
}

#' @return a public key, as text.
#' @noRd
public_identity <- function(file) {
  key <- read_identity(file)
  on.exit(forget_key(key))
  pair <- sodium::sig_keygen(key)
  on.exit(forget_key(pair), add = TRUE)
  sodium::bin2hex(sodium::sig_pubkey(pair))
}

#' @param message raw.
#' @noRd
identity_sign <- function(file, message) {
  key <- read_identity(file)
  on.exit(forget_key(key))
  pair <- sodium::sig_keygen(key)
  on.exit(forget_key(pair), add = TRUE)
  sodium::sig_sign(message, pair)
}

#' @param public a public key, as text.
#' @noRd
identity_signed <- function(public, message, signature) {
  isTRUE(tryCatch(sodium::sig_verify(message, signature, sodium::hex2bin(public)),
    error = function(e) FALSE
  ))
}

# ---- in policies -------------------------------------------------------------------------

#' Public keys by site. One key under two names would be one holder who counts twice.
#' @noRd
check_peers <- function(peers, identity, site) {
  if (is.null(peers) && is.null(identity)) return(NULL)
  wrong <- function(words, place = NULL) {
    abort("argument", sprintf("`peers` %s.", words), argument = "peers", place = place)
  }
  if (is.null(identity)) {
    abort("argument", "`peers` are for sites with a key: `identity` must be its file.",
      argument = "identity"
    )
  }
  named <- is.character(peers) && !is.null(names(peers)) && !anyNA(peers)
  if (!named) wrong("must be a character vector of public keys, named by site")
  odd <- names(peers)[!grepl("^[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,99}$", names(peers))]
  if (length(odd)) wrong(sprintf("has \"%s\", which is no name of a site", odd[1L]))
  odd <- names(peers)[!grepl("^[0-9a-fA-F]{64}$", peers)]
  if (length(odd)) {
    wrong(sprintf("has no key of 64 hexadecimal digits for \"%s\"", odd[1L]), odd[1L])
  }
  peers <- tolower(peers)
  again <- names(peers)[duplicated(names(peers))]
  if (length(again)) wrong(sprintf("has \"%s\" twice", again[1L]), again[1L])
  again <- names(peers)[duplicated(peers)]
  if (length(again)) wrong(sprintf("has the key of \"%s\" twice", again[1L]), again[1L])
  if (!site %in% names(peers)) wrong(sprintf("has not this site, \"%s\"", site), site)
  peers
}

#' What a policy says of its site's own key is so.
#' @noRd
check_identity <- function(policy) {
  if (is.null(policy$identity)) return(invisible())
  need_package("sodium", "identities of sites")
  if (policy$peers[[policy$site]] != public_identity(policy$identity)) {
    abort("policy", sprintf("`Peers` has another key of \"%s\" than its `Identity`.", policy$site),
      argument = "Peers", place = policy$site
    )
  }
}

#' Lines of "north: 2d3a9c..." as a vector by name.
#' @noRd
read_policy_peers <- function(text, path) {
  if (is.null(text)) return(NULL)
  lines <- trimws(strsplit(text, "\n")[[1L]])
  lines <- lines[nzchar(lines)]
  parts <- regmatches(lines, regexec("^([^:]+?) *: *(\\S+)$", lines, perl = TRUE))
  bad <- lengths(parts) == 0L
  if (any(bad)) {
    abort_policy(path, "Peers", sprintf("no name, colon and key in `%s`", lines[bad][1L]))
  }
  stats::setNames(vapply(parts, `[[`, "", 3L), vapply(parts, `[[`, "", 2L))
}
