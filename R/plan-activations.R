# Which blocks of an iteration move when: public, drawn with a key before a record is read.

#' Blocks as whole numbers 1, 2, ... along u.
#' @param known the operator's own blocks, or `NULL`.
#' @noRd
check_blocks <- function(blocks, d, known) {
  if (is.null(blocks)) blocks <- if (is.null(known)) rep(1L, d) else known
  if (length(blocks) != d || !is.atomic(blocks)) {
    abort("shape", sprintf(
      "`blocks` must name a block for each of the %d entries, not %d.", d, length(blocks)
    ), argument = "blocks", value = length(blocks))
  }
  if (anyNA(blocks)) abort("missing", "`blocks` has a missing value.", argument = "blocks")
  match(blocks, unique(blocks))
}

#' A logical matrix, iterations x blocks; NULL: all are active always.
#' @noRd
activations <- function(active, K, B, key) {
  if (is.logical(active) && is.matrix(active)) {
    if (!identical(dim(active), c(K, B)) || anyNA(active)) {
      abort("shape", sprintf(
        "`active` must be %d x %d (iterations x blocks) without missing values.", K, B
      ), argument = "active", value = dim(active))
    }
    return(active)
  }
  if (is.numeric(active)) {
    check_number(active, "active", lower = 0, open_lower = TRUE, upper = B)
    if (active >= 1) check_number(active, "active", whole = TRUE)
    if (active == B) return(NULL)
    draw <- function(k) core_call(.Call(ffi_sample, key, k, B, as.double(active), active < 1))
  } else {
    active <- check_choice(active, c("all", "one", "permutation"), "active")
    if (active == "all") return(NULL)
    turn <- active_one(active, K, B, key)
    draw <- function(k) turn[k]
  }
  turns <- matrix(FALSE, K, B)
  for (k in seq_len(K)) turns[k, draw(k)] <- TRUE
  turns
}

#' The one active block of each iteration: at random, or one after the other in an order that
#' is drawn again when it is through.
#' @noRd
active_one <- function(how, K, B, key) {
  if (how == "one") return(core_call(.Call(ffi_walk, key, B, K)) + 1L)
  passes <- lapply(seq_len(ceiling(K / B)), function(pass) random_order(key, pass, B))
  unlist(passes)[seq_len(K)]
}

#' A random order of 1..B: that of keyed uniform ranks.
#' @noRd
random_order <- function(key, pass, B) {
  order(core_call(
    .Call(ffi_noise, "gaussian", 1, as.double(B), 1, key, as.double(2^32 - pass))
  ))
}
