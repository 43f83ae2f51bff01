# Answers of the compiled core: a value, or a status that stands for a condition.

# What each kind of failure means when the caller has nothing better to say.
.core_messages <- c(
  interrupt = "Interrupted.",
  argument = "An argument of a compiled routine is outside its range.",
  size = "A size overflows, or memory could not be had.",
  entropy = paste(
    "The operating system gave no randomness, so no private noise can be drawn.",
    "Noise is never drawn from anything weaker."
  ),
  solver = "A node problem could not be solved to the asked tolerance.",
  engine = "The engine could not get a party's message.",
  finite = "A computation left the range of double precision numbers."
)

#' The value of a compiled routine, or its failure raised as a classed error (or an interrupt).
#'
#' `answer` is what the routine returned: a value, which is handed on, or an object
#' of class `dpadmm_status` (`ffi_status()` in `src/ffi.h`). A status that is no
#' failure is returned invisibly. `message` replaces the usual text; `...` goes to
#' [abort()].
#' @noRd
core_call <- function(answer, message = NULL, ...) {
  if (!inherits(answer, "dpadmm_status")) return(answer)
  kind <- attr(answer, "kind")
  if (is.null(kind)) return(invisible(answer))
  if (!is.null(attr(answer, "condition"))) stop(attr(answer, "condition"))
  if (is.null(message)) message <- paste0(.core_messages[[kind]], named_argument(answer))
  if (kind == "interrupt") interrupt(message, ...)
  abort(kind, message, ...)
}

#' The element of a list from R that a routine could not use.
#' @noRd
named_argument <- function(answer) {
  name <- attr(answer, "argument")
  if (is.null(name)) "" else sprintf(" It is \"%s\".", name)
}

#' Whether a routine stopped before its end, and the words for why.
#' @noRd
ended_early <- function(answer) !is.null(attr(answer, "kind"))

core_words <- function(answer) .core_messages[[attr(answer, "kind")]]
