#' R's own generator is the code's to use; here its state is put back afterwards.
#' @noRd
with_r_seed <- function(seed, code) {
  home <- globalenv()
  old <- home$.Random.seed
  kinds <- RNGkind()
  on.exit({
    suppressWarnings(RNGkind(kinds[1L], kinds[2L], kinds[3L])) # "Rounding" warns
    if (is.null(old)) rm(".Random.seed", envir = home) else home$.Random.seed <- old
  })
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  code
}
