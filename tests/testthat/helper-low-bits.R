# What last bits say, written out in R on whole matrices: the truth for the package's loop in C.

marks_by_hand <- function(values, truth, scale, radial = FALSE) {
  differs <- truth[[1L]] != truth[[2L]]
  counted <- pmax(rowSums(differs), 1)
  mean_of <- function(x) rowSums(x * differs) / counted
  contrast <- function(evidence) {
    both <- lapply(truth, function(value) evidence(value, values - value))
    both[[1L]] - both[[2L]]
  }
  against <- lapply(unique(scale), function(s) {
    cbind(
      contrast(function(value, rest) mean_of(impossible(values, value, rest, s))),
      contrast(function(value, rest) off_grid(rest, s, mean_of))
    )
  })
  if (radial) {
    against <- c(against, list(contrast(function(value, rest) {
      norm <- sqrt(rowSums(rest^2))
      Reduce(pmin, lapply(-3:3, function(k) {
        mean_of(impossible(values, value, rest, steps_from(norm, k)))
      }))
    })))
  }
  # a last bit further down is evidence against a value: the rest has more of them to hide
  deep <- contrast(function(value, rest) -mean_of(last_bit(rest)) / 64)
  bits <- last_bit(values)
  least <- bits
  least[!differs] <- Inf
  least <- do.call(pmin, as.data.frame(least))
  list(
    against = do.call(cbind, c(against, list(deep))),
    own = cbind(mean_of(bits), ifelse(is.finite(least), least, 0))
  )
}

#' Whether no double z has values = value + scale * z, both operations rounded.
impossible <- function(values, value, rest, scale) {
  scale <- rep_len(scale, length(values)) # one, or one a row
  # where the noise is so small that a sum hides its last bits, all is possible
  out <- !(abs(rest) < abs(values) / 4)
  left <- which(out)
  for (k in c(0, -1, 1, -2, 2)) {
    noise <- steps_from(rest[left], k)
    z <- noise / scale[left]
    reached <- function(z) scale[left] * z == noise
    fits <- value[left] + noise == values[left] &
      (reached(z) | reached(steps_from(z, 1)) | reached(steps_from(z, -1)))
    out[left[fits]] <- FALSE
    left <- left[!fits]
  }
  out
}

#' The share of grids, powers of two well below the scale, that the entries of x are not on.
off_grid <- function(x, scale, mean_of) {
  depths <- seq(24, 44, by = 4)
  unit <- floor(log2(scale))
  off <- 0
  for (depth in depths) {
    steps <- x * 2^(depth - unit)
    # entries on no grid are 1/4 away; those on one by rounding only
    off <- off + (mean_of(abs(steps - round(steps))) > 0.02)
  }
  off / length(depths)
}

#' The unit in the last place of doubles; that of the smallest normal one for 0.
ulp <- function(x) 2^(pmax(floor(log2(abs(x))), -1022) - 52)

#' The exponent of the last bit that is set; for 0 that of the largest double.
last_bit <- function(x) {
  unit <- ulp(x)
  left <- abs(x) / unit # a whole number below 2^53
  high <- left %/% 2^26
  low <- left - high * 2^26
  within <- function(whole) {
    whole <- as.integer(whole)
    log2(bitwAnd(whole, -whole))
  }
  last <- log2(unit) + ifelse(low > 0, within(low), 26 + within(high))
  last[x == 0] <- 1023
  last
}
