# The help pages as they are installed: each has an example, and the one on conditions lists what
# the package raises.

pages <- tools::Rd_db("dpadmm")
sections <- function(page) vapply(page, attr, "", "Rd_tag")
text_of <- function(page, tag) paste(unlist(page[sections(page) == tag]), collapse = "")

test_that("every help page has an example that calls something of the package", {
  names <- getNamespaceExports("dpadmm")
  methods <- sub("[.].*", "", ls(asNamespace("dpadmm")[[".__S3MethodsTable__."]]))
  own <- unique(c(names, methods))
  for (page in names(pages)) {
    example <- text_of(pages[[page]], "\\examples")
    if (page == "adult.Rd") { # data
      expect_match(example, "adult", label = page)
    } else {
      called <- all.names(parse(text = example))
      expect_gt(length(intersect(called, own)), 0, label = paste("calls in the example of", page))
    }
  }
})

# ---- conditions --------------------------------------------------------------------------

#' Kinds that functions raise: the strings in the first argument of their calls of `raise`.
raised <- function(code, raise) {
  if (!is.call(code) && !is.pairlist(code)) return(character())
  strings <- function(x) if (is.call(x)) unlist(lapply(as.list(x)[-1L], strings)) else x
  here <- if (is.call(code) && identical(code[[1L]], as.name(raise))) {
    Filter(is.character, as.list(strings(code[[2L]])))
  }
  inner <- lapply(as.list(code), function(part) if (!missing(part)) raised(part, raise))
  unique(unlist(c(here, inner)))
}
all_raised <- function(raise) {
  bodies <- Filter(is.function, as.list(asNamespace("dpadmm"), all.names = TRUE))
  unique(unlist(lapply(bodies, function(f) raised(body(f), raise))))
}

#' Kinds in a table of the help page: rows of \tabular begin with code.
listed <- function(page, heading) {
  text <- paste(as.character(page), collapse = "")
  table <- sub(sprintf("(?s).*kind of %s", heading), "", text, perl = TRUE)
  table <- sub("(?s)kind of .*", "", table, perl = TRUE)
  found <- regmatches(table, gregexpr("\\\\code\\{\\w+\\}\\s*\\\\tab", table))[[1L]]
  gsub(".*\\{|\\}.*", "", found)
}

test_that("?`dpadmm-conditions` lists every kind of error and warning, and no other", {
  skip_on_cran()
  page <- pages[["dpadmm-conditions.Rd"]]
  errors <- union(all_raised("abort"), names(dpadmm:::.core_messages)) # statuses of the core
  expect_setequal(listed(page, "error"), errors)
  expect_setequal(listed(page, "warning"), all_raised("warn"))
  aliases <- unlist(page[sections(page) == "\\alias"])
  expect_identical(setdiff(paste0("dpadmm_error_", errors), aliases), character())
  expect_identical(setdiff(paste0("dpadmm_warning_", all_raised("warn")), aliases), character())
})
