# The sentences of a privacy statement.

# Above the first "nearly the same" is too much said, above the second exp(epsilon) is no number
# that means anything to anybody.
.nearly_the_same <- 5
.next_to_nothing <- 20

statement_text <- function(x) {
  lines <- c(title_text(x), if (any(is.finite(x$per_node$epsilon))) {
    c(guarantee_text(x), conditions_text(x))
  }, if (length(x$leaks)) {
    sprintf("Not covered: what was read from the records, %s.", leaks_words(x$leaks))
  }, if (isTRUE(x$simulated)) {
    "Simulated in one process: the records of all parties were in one place."
  })
  heads <- seq_along(title_text(x))
  unlist(c(
    lapply(lines[heads], strwrap, 88, exdent = 2),
    lapply(lines[-heads], strwrap, 88, indent = 2, exdent = 2)
  ))
}

title_text <- function(x) {
  of <- if (!is.null(x$runs)) sprintf(" of %d runs together", x$runs) else ""
  if (is.infinite(x$epsilon)) {
    return(paste0("Privacy", of, ": none. ", bare_words(x$per_node)))
  }
  c(
    if (x$seeded) "Seeded noise: a simulation, not a private release.",
    sprintf("Privacy (%s)%s: epsilon = %s%s, %s neighbours%s.",
      if (x$accountant == "paper") paste0("as printed in ", x$theorem) else "sound", of,
      format(x$epsilon, digits = 4L),
      if (x$delta > 0) paste(", delta =", delta_words(x$delta)) else "", x$neighbours,
      if (is.null(x$per_person)) "" else " of persons"
    )
  )
}

#' Whose records nothing protects.
#' @noRd
bare_words <- function(per_node) {
  bare <- is.infinite(per_node$epsilon)
  if (all(bare)) return("No noise is added; what is released can reveal records.")
  sprintf(
    "Something was released without noise, which can reveal records of %s.",
    listed(sprintf("\"%s\"", per_node$node[bare]))
  )
}

#' exp(epsilon), rounded up.
#' @noRd
odds_words <- function(epsilon) {
  odds <- exp(epsilon)
  if (odds >= 1000) return(format(ceiling(odds), big.mark = ",", scientific = FALSE))
  format(ceiling(odds * 100) / 100, digits = 7L)
}

#' A probability in plain decimals, rounded up where it has many.
#' @noRd
delta_words <- function(delta) {
  if (delta < 1e-7) return(sprintf("%g", delta))
  plain <- signif(delta, 3L)
  if (plain < delta) plain <- signif(delta + 0.5 * 10^(floor(log10(delta)) - 2), 3L)
  format(plain, scientific = FALSE, digits = 3L, drop0trailing = TRUE)
}

#' "a", "a and b", "a, b and c"; of many, how many more.
#' @noRd
listed <- function(words) {
  if (length(words) > 20L) words <- c(words[1:19], sprintf("%d more", length(words) - 19L))
  if (length(words) < 2L) return(words)
  paste(paste(words[-length(words)], collapse = ", "), "and", words[length(words)])
}

#' What was read from the records: the ranges and the levels of many columns at once.
#' @noRd
leaks_words <- function(leaks) {
  leaks <- unique(leaks)
  what <- sub(" of `.*`$", "", leaks)
  column <- ifelse(what == leaks, "", sub("^.* of (`.*`)$", "\\1", leaks))
  paste(vapply(unique(what), function(one) {
    columns <- column[what == one]
    if (identical(columns, "")) return(one)
    several <- length(columns) > 1L && !grepl("s$", one)
    paste0(one, if (several) "s", " of ", listed(columns))
  }, ""), collapse = "; ")
}

#' What a neighbour has instead.
#' @noRd
replaced_words <- function(x) {
  if (x$neighbours == "add-remove") return("left out of the sums")
  other <- if (is.null(x$per_person)) "another" else "those of another"
  if ("node" %in% x$counted) paste(other, "of the same node") else other
}

#' What the guarantee means and where it comes from.
#' @noRd
guarantee_text <- function(x) {
  finite <- x$per_node[is.finite(x$per_node$epsilon), , drop = FALSE]
  if (is.infinite(x$epsilon)) {
    return(sprintf("Other parties: %s.", spread_words(finite)))
  }
  c(
    meaning_text(x),
    sprintf("It comes from %s.", x$releases),
    if (diff(range(finite$epsilon)) > 1e-6 * min(finite$epsilon)) {
      sprintf("Nodes: %s; the largest counts.", spread_words(finite))
    },
    if (!is.null(x$smallest) && x$delta > 1 / x$smallest) {
      sprintf(paste(
        "A delta above 1/n protects little: with n = %g %s%s, publishing one of them whole,",
        "picked at random, would be allowed by delta = %s alone."
      ), x$smallest, if (x$user_level) "holders" else "records",
      if ("node" %in% x$counted) " of the smallest node" else "", delta_words(x$delta))
    }
  )
}

spread_words <- function(per_node) {
  ends <- vapply(range(per_node$epsilon), format, "", digits = 4L)
  worst <- sprintf("(node \"%s\")", per_node$node[which.max(per_node$epsilon)])
  if (ends[1L] == ends[2L]) return(paste("epsilon =", ends[1L]))
  sprintf("from %s to %s %s", ends[1L], ends[2L], worst)
}

#' What is protected as a whole.
#' @noRd
unit_words <- function(x) {
  if (x$user_level) return("holder's records")
  if (is.null(x$per_person)) return("record")
  sprintf("person's records (at most %s)", paste(unique(x$per_person), collapse = " to "))
}

meaning_text <- function(x) {
  unit <- unit_words(x)
  if (x$epsilon > .next_to_nothing) {
    return(sprintf(paste(
      "%s may learn nearly all there is to know about any one %s: an epsilon above %g",
      "protects next to nobody."
    ), x$audience, unit, .next_to_nothing))
  }
  sprintf(
    paste(
      "%s %s had any one %s been %s: the probability of any event is at most %s times what it",
      "would have been then%s."
    ), x$audience,
    if (x$epsilon > .nearly_the_same) "may well notice" else "could see nearly the same",
    unit, replaced_words(x), odds_words(x$epsilon),
    if (x$delta > 0) paste(", plus", delta_words(x$delta)) else ""
  )
}

#' What the guarantee rests on.
#' @noRd
conditions_text <- function(x) {
  c(
    joint_words(x),
    if (x$neighbours == "add-remove") {
      "The number of records, by which sums are divided, is taken to be public."
    },
    if (!is.null(x$counted)) {
      sprintf("The number of records of each %s is taken to be public.",
        paste(x$counted, collapse = " and of each "))
    },
    person_words(x),
    x$rows,
    x$stated,
    if (x$accountant == "sound") {
      sprintf("It covers the program as it runs, rounding included%s.",
        if (is.null(x$tolerance)) {
          ""
        } else {
          sprintf(", and minimisers found up to a gradient norm of %.3g", x$tolerance)
        })
    },
    x$caveat,
    x$charged
  )
}

#' Which of a person's records the guarantee is about.
#' @noRd
person_words <- function(x) {
  if (is.null(x$per_person)) return(NULL)
  sprintf("Of each person at most %s records%s are taken to count%s.",
    paste(unique(x$per_person), collapse = " to "),
    if ("node" %in% x$counted) " at a node" else "",
    if ("node" %in% x$counted) "; who has records at several nodes loses what each says" else ""
  )
}

#' Whose records several runs are taken to be about.
#' @noRd
joint_words <- function(x) {
  if (is.null(x$runs)) return(NULL)
  if (x$records == "disjoint") return("No record was in two of the runs, as you stated.")
  paste(
    "Runs whose parties, by names and numbers of records, are among those of another are taken",
    "to divide the records in the same way: each party holds the same ones in all of them. Where",
    "that is not so, any record may be any party's, and all adds up."
  )
}
