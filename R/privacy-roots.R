# Roots of falling functions, on the side where they are <= 0: of one, and of many at once.

.root_width <- 1e-10 # to how much of the noise roots are found

#' The roots near 0 of many falling functions at once, each to `.root_width` and on the side
#' where it is <= 0; `NA` where there is none within a factor of ten. They are about as steep as -1,
#' or steeper.
#' @param f function of points and the numbers of the functions to take there.
#' @noRd
solve_together <- function(f, count) {
  x <- numeric(count)
  # the ends of where a root is, where the function is > 0 and where it is not, and its values there
  over <- under <- over_value <- under_value <- rep(NA_real_, count)
  same <- slow <- integer(count)
  before <- rep(Inf, count)
  step <- rep(.root_width, count)
  open <- seq_len(count)
  while (length(open)) {
    value <- f(x[open], open)
    high <- value > 0
    now <- 2L * high - 1L
    again <- now == same[open]
    same[open] <- now
    k <- open[high]
    over[k] <- x[k]
    over_value[k] <- value[high]
    k <- open[!high]
    under[k] <- x[k]
    under_value[k] <- value[!high]
    between <- !is.na(over[open] + under[open])
    # Illinois: where one end stays, its value is halved, so that it does not stay for ever
    stays <- open[again & between & !high]
    over_value[stays] <- over_value[stays] / 2
    stays <- open[again & between & high]
    under_value[stays] <- under_value[stays] / 2
    if (!all(between)) {
      out <- open[!between]
      reached <- pmax(step[out], pmin(1.05 * abs(value[!between]), 1))
      x[out] <- x[out] + same[out] * reached
      step[out] <- 2 * step[out]
    }
    inner <- open[between]
    width <- under[inner] - over[inner]
    slow[inner] <- pmax(0L, slow[inner] + 2L * (width > before[inner] / 2) - 1L)
    before[inner] <- width
    share <- over_value[inner] / (over_value[inner] - under_value[inner])
    share[slow[inner] >= 3L] <- 1 / 2 # steps and plateaus
    to <- over[inner] + width * share
    x[inner] <- pmin(pmax(to, over[inner] + .root_width / 2), under[inner] - .root_width / 2)
    done <- logical(length(open))
    done[between] <- width <= 1.01 * .root_width
    open <- open[!done & abs(x[open]) <= log(10)]
  }
  under[!((under - over <= 1.01 * .root_width) %in% TRUE)] <- NA
  under
}

# so many steps are by secants, before ends are halved
.straight_passes <- 6L

#' Points at most `width` beyond the roots of many falling functions: `NA` where a few secants from
#' x do not end there, or lead far away. A function is list(excess, order), see around(): the
#' best order is searched for near the last one only, and at last not any more, which is as valid,
#' and a share of `width` is left for what the whole search might find.
#' @param known about what the functions are at x, where that is known: none ends there.
#' @param halves whether the ends of where a root is are halved where secants go astray.
#' @return list(x, slope = of the secants, `beyond` = how far x is from the root by these, order,
#'   accountant).
#' @noRd
solve_within <- function(f, i, x, slope, near = NULL, width, known = NULL, halves = TRUE) {
  x[is.na(x)] <- 0
  slope[is.na(slope)] <- -1
  order <- if (is.null(near)) rep(NA_real_, length(i)) else near
  from <- value <- rep(NA_real_, length(i))
  over <- under <- from # the ends of where a root is, where the function is > 0 and where it is not
  accountant <- character(length(i))
  beyond <- numeric(length(i))
  flat <- logical(length(i)) # somewhere
  open <- seq_along(i)
  passes <- 8L
  for (pass in 1:24) {
    if (length(open) == 0L || pass > passes) break
    still <- isTRUE(all(abs(x[open] - from[open]) < 0.3 * sqrt(width)))
    now <- if (pass == 1L && !is.null(known)) known else f(x[open], i[open], order[open], still)
    order[open] <- now$order
    accountant[open] <- now$accountant
    secant <- (now$excess - value[open]) / (x[open] - from[open])
    # where next to nothing is spent no slope is told
    good <- which(is.finite(secant) & secant < 0 & pmin(value[open], now$excess) > -.flat_excess)
    slope[open[good]] <- secant[good]
    from[open] <- x[open]
    value[open] <- now$excess
    beyond[open] <- value[open] / slope[open]
    past <- beyond[open]
    looked <- pass > 1L || is.null(known)
    if (looked) {
      high <- value[open] > 0
      over[open[high]] <- x[open[high]]
      under[open[!high]] <- x[open[!high]]
      near_root <- past >= width / 8 & past <= 7 / 8 * width |
        (halves & x[open] - over[open] <= width / 2) %in% TRUE
      open <- open[high | !near_root]
    }
    flat[open] <- flat[open] | value[open] <= -.flat_excess
    # secants go astray where functions bend
    astray <- halves && pass > .straight_passes
    if (any(flat[open]) || astray) passes <- 24L
    to <- x[open] - value[open] / slope[open] + width / 2
    lost <- value[open] <= -.most_excess | value[open] <= -.flat_excess & to < -20
    to[lost] <- x[open][lost] - 1
    between <- over[open] < under[open]
    out <- which(between &
      (astray | flat[open] & (to <= over[open] | to > under[open] + width)))
    to[out] <- ((over + under) / 2)[open[out]]
    x[open] <- to
    far <- abs(x[open]) > 20
    x[open[far]] <- NA
    open <- open[!far]
  }
  x[open] <- NA
  list(x = x, slope = slope, beyond = beyond, order = order, accountant = accountant)
}

#' Two points around the root, which should be near x.
#' @param outward in which direction the function falls: 1 or -1. It falls by about as much as one
#'   goes, or more, so that its value says how far that is.
#' @noRd
around_root <- function(f, x, outward, ends) {
  step <- 1e-3
  value <- f(x)
  # towards more noise until it is enough, towards less until it is not
  enough <- value <= 0
  towards <- if (enough) -outward else outward
  repeat {
    reach <- max(step, min(1.05 * abs(value), 1))
    y <- min(max(x + towards * reach, ends[1L]), ends[2L])
    value <- f(y)
    if ((value <= 0) != enough || y %in% ends) return(sort(c(x, y)))
    x <- y
    step <- 2 * step
  }
}

#' The point next to the root of a monotone function where it is <= 0, to about `.root_width`.
#' Steps that are not quite monotone (grids) are walked off.
#' @noRd
safe_root <- function(f, ends, values) {
  safe <- ends[which.min(values)]
  if (ends[2L] - ends[1L] <= 1.01 * .root_width) return(safe)
  root <- stats::uniroot(f, ends,
    f.lower = values[1L], f.upper = values[2L], tol = .root_width, maxiter = 200L
  )
  if (root$f.root <= 0) return(root$root)
  towards <- sign(safe - root$root)
  x <- root$root
  step <- max(root$estim.prec, 1e-12)
  repeat {
    x <- x + towards * step
    if (towards * (safe - x) <= 0) return(safe)
    if (f(x) <= 0) return(x)
    step <- 2 * step
  }
}
