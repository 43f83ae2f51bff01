# A forecast in words.
#
# The model is signal plus noise, so noise as large as the signal turns it by 45 degrees; where
# labels are all but determined by the records, its error (the angle over pi) is then half way
# from that of the model without noise to that of guessing. Made-up records and Adult agree
# (bench/forecast.R): below a ratio of 1.2 nearly all fits are closer to the majority class than
# to the fit without noise, above 3 nearly all lose less than a quarter of what there is to learn.

.forecast_noise <- 1.2
.forecast_useful <- 3

#' @param expected list(noise, most, signal) of a plan.
#' @param d number of coefficients.
#' @param parties number of data holders that each hide their records alone.
#' @return list(verdict, ratio, sentence, advice): the verdict is "useful",
#'   "weak", "mostly noise", or "no noise"; advice is NULL unless it is "mostly noise".
#' @noRd
forecast_words <- function(expected, d, parties = 1) {
  # steps far too long leave a signal of any sign
  ratio <- if (expected$noise == 0) Inf else max(0, expected$signal) / expected$noise
  verdict <- if (expected$noise == 0) {
    "no noise"
  } else {
    c("mostly noise", "weak", "useful")[
      1L + findInterval(ratio, c(.forecast_noise, .forecast_useful))
    ]
  }
  list(
    verdict = verdict, ratio = ratio,
    sentence = forecast_sentence(verdict, ratio, expected),
    advice = if (verdict == "mostly noise") forecast_advice(.forecast_noise / ratio, d, parties)
  )
}

forecast_sentence <- function(verdict, ratio, expected) {
  if (verdict == "no noise") return("No noise is added.")
  open <- expected$most > 1.2 * expected$noise
  sprintf(
    paste(
      "Noise moves each coefficient by about %s (sd)%s; a strong signal, spread over all columns,",
      "would by about %s. Ratio %s: %s."
    ),
    forecast_number(expected$noise),
    if (open) {
      sprintf(", up to %s where the records leave a direction open", forecast_number(expected$most))
    } else {
      ""
    },
    forecast_number(expected$signal), forecast_number(ratio),
    switch(verdict,
      useful = "useful, if the data have a signal",
      weak = "weak, plainly worse than without noise",
      verdict
    )
  )
}

#' What would carry a plan over the threshold: signal over noise grows in proportion to the
#' budget and to the number of records, falls with the number of columns, and with the root of
#' the number of parties that share the records.
#' @noRd
forecast_advice <- function(factor, d, parties) {
  if (is.infinite(factor)) return(NULL) # the steps are to blame, not the budget
  factor <- max(factor, 1.1) # "1 times the budget" would be no advice
  columns <- floor(d / factor)
  joined <- floor(parties / factor^2)
  ways <- c(
    sprintf("%s times the budget", forecast_number(factor)),
    sprintf("%s times the records", forecast_number(factor)),
    if (columns >= 2) sprintf("%d columns instead of %d", columns, d),
    if (joined >= 2) sprintf("the same records in %d parties instead of %d", joined, parties)
  )
  sprintf(
    "It would take about %s or %s to learn something.",
    paste(ways[-length(ways)], collapse = ", "), ways[length(ways)]
  )
}

forecast_number <- function(x) as.character(signif(x, 2L))
