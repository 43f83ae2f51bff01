# What every method is: a list of class c("dpadmm_method_<name>", "dpadmm_method") whose
# fields are the user's choices, NULL where the default is worked out from public numbers.
# Its families are the S3 methods of draft_plan() and the like that it answers to.

#' The methods. A new one is a line here, and under every test of test-methods.R.
#' @noRd
methods_table <- function() {
  list(
    admm = admm, m_admm = m_admm, r_admm = r_admm, mr_admm = mr_admm, pp_admm = pp_admm,
    ipp_admm = ipp_admm, fp_admm = fp_admm, grad_admm = grad_admm, acc_admm = acc_admm,
    dp_sgd = dp_sgd, dp_cd = dp_cd
  )
}

#' A method, or one by its name with its defaults.
#' @noRd
as_method <- function(method) {
  if (!is.character(method)) {
    return(check_class(method, "dpadmm_method", "method", "a method such as mr_admm()"))
  }
  made <- methods_table()
  made[[check_choice(method, names(made), "method")]]()
}

new_method <- function(name, family, title, source, ...) {
  structure(list(name = name, title = title, source = source, parameters = list(...)),
    class = c(
      paste0("dpadmm_method_", name), paste0("dpadmm_family_", family), "dpadmm_method"
    )
  )
}

#' @param update the rules of a cycle of iterations; "recycled" ones read no record.
#' @noRd
new_graph_method <- function(name, title, source, update, ..., family = "graph") {
  method <- new_method(name, family, title, source, ...)
  method$update <- update
  method
}

#' @export
print.dpadmm_method <- function(x, ...) {
  check_no_dots(...)
  set <- Filter(Negate(is.null), x$parameters)
  cat(sprintf("<dpadmm_method: %s>\n  %s\n", x$title, x$source))
  for (name in names(set)) {
    cat(sprintf("  %s = %s\n", name, describe_parameter(set[[name]])))
  }
  invisible(x)
}

describe_parameter <- function(x) {
  if (length(dim(x)) == 2L) return(sprintf("%d x %d matrix", nrow(x), ncol(x)))
  if (inherits(x, c("dpadmm_penalty", "dpadmm_regulariser"))) return(x$name)
  if (length(x) > 8L) {
    return(sprintf("%s, ... (%d)", paste(format(x[1:4]), collapse = ", "), length(x)))
  }
  paste(format(x), collapse = ", ")
}

#' A parameter that is one number, or one number a node.
#' @noRd
check_parameter <- function(x, argument, lower = 0, open_lower = TRUE) {
  if (is.null(x)) NULL else check_numbers(x, argument, lower = lower, open_lower = open_lower)
}
