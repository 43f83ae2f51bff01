#' @noRd
compose_groups <- function(epsilon, count, delta) {
  total <- sum(epsilon * count)
  if (sum(count) > 1) round_up(total) else total
}
