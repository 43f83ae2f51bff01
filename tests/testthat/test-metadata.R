# Beside the values with noise a fit says nothing of its records: fits of two neighbouring data
# sets with the same noise are the same in every other field, in length, names, classes, size,
# in what they print and in what they warn of. Every method, by the table of methods.

skip_on_cran()

# ---- comparing objects -------------------------------------------------------------------

# What noise protects: only its shape is compared.
noisy_fields <- c("coefficients", "iterates", "trace", "y", "u", "states", "sends", "messages")

#' Where two objects differ, as paths.
differences <- function(one, two, at = "fit") {
  if (identical(one, two, ignore.environment = FALSE)) return(character())
  if (typeof(one) != typeof(two) || length(one) != length(two)) return(at)
  found <- character()
  if (!identical(attributes(one), attributes(two))) {
    names <- union(names(attributes(one)), names(attributes(two)))
    found <- unlist(lapply(names, function(name) {
      differences(attr(one, name, TRUE), attr(two, name, TRUE), sprintf("attr(%s, %s)", at, name))
    }))
  }
  if (!is.list(one)) return(if (length(found)) found else at)
  names <- if (is.null(names(one))) seq_along(one) else names(one)
  c(found, unlist(lapply(seq_along(one), function(k) {
    differences(unclass(one)[[k]], unclass(two)[[k]], paste0(at, "$", names[k]))
  })))
}

#' An object with the numbers of its noisy parts taken out.
shape <- function(x) {
  if (is.list(x)) x[] <- lapply(x, shape) else if (is.atomic(x)) x[] <- rep(x[NA_integer_], 1)
  x
}

silenced <- function(fit) {
  noisy <- intersect(noisy_fields, names(fit))
  fit[noisy] <- lapply(unclass(fit)[noisy], shape)
  fit
}

#' Environments that an object holds, but for those every session has; closures count.
held_environments <- function(x) {
  if (is.function(x)) return("a closure")
  if (is.environment(x)) {
    common <- list(globalenv(), baseenv(), emptyenv(), asNamespace("dpadmm"))
    if (!any(vapply(common, identical, NA, x))) return("an environment")
    return(character())
  }
  parts <- if (is.list(x)) unclass(x) else list()
  as.character(unlist(lapply(c(parts, attributes(x)[names(attributes(x)) != "names"]),
    held_environments)))
}

#' A fit and all that somebody sees of it being made.
witnessed <- function(code) {
  said <- list()
  fit <- tryCatch(
    withCallingHandlers(force(code), condition = function(c) {
      if (!inherits(c, c("warning", "message"))) return()
      said <<- c(said, list(c(class(c)[1], conditionMessage(c))))
      tryInvokeRestart(if (inherits(c, "warning")) "muffleWarning" else "muffleMessage")
    }),
    dpadmm_error = function(e) list(error = class(e), message = conditionMessage(e))
  )
  list(fit = fit, said = said)
}

expect_alike <- function(one, two, what) {
  one <- witnessed(one)
  two <- witnessed(two)
  expect_identical(differences(silenced(one$fit), silenced(two$fit)), character(), label = what)
  expect_identical(one$said, two$said, label = paste(what, "(conditions)"))
  if (!inherits(one$fit, "dpadmm_fit") || !inherits(two$fit, "dpadmm_fit")) {
    return(fail(paste(what, "made no fit:", one$fit$message, two$fit$message)))
  }
  expect_identical(held_environments(one$fit), character(), label = what)
  size <- function(fit) c(utils::object.size(fit), length(serialize(fit, NULL)))
  expect_identical(size(one$fit), size(two$fit), label = paste(what, "(size)"))
  words <- function(fit) gsub("[-0-9.e+]+", "#", utils::capture.output(print(privacy(fit))))
  expect_identical(words(one$fit), words(two$fit), label = paste(what, "(statement)"))
}

# ---- neighbours --------------------------------------------------------------------------

with_row <- function(row) replace(small$x, cbind(1, 1:3), row)
sparse <- function(x) methods::as(methods::as(Matrix::Matrix(x), "generalMatrix"), "CsparseMatrix")

# by name: what the first record is, then what it is replaced by; `loss` if it is not logistic
pairs <- local({
  n <- nrow(small$x)
  ones <- rep(1, n)
  list(
    "labels 0 and 1" = list(list(y = ones), list(y = replace(ones, 1, 0))),
    "labels -1 and 1" = list(list(y = ones), list(y = replace(ones, 1, -1))),
    "labels TRUE and FALSE" = list(list(y = ones == 1), list(y = replace(ones, 1, 0) == 1)),
    "huge and tiny" = list(list(x = with_row(c(1e300, -1e300, 1e-320))),
      list(x = with_row(c(5e-324, 1e-308, 0)))),
    "a row of zeros" = list(list(x = small$x), list(x = with_row(0))),
    "sparsity" = list(list(x = sparse(with_row(0))), list(x = sparse(with_row(c(0.1, 0.2, 0.3))))),
    "far labels" = list(list(y = replace(ones, 1, 1e300)), list(y = replace(ones, 1, 1e-320)),
      loss = "huber")
  )
})

people <- data.frame(small$x, where = rep_len(c("A", "B", "C"), 48), ill = small$y > 0)
public <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), c = c(-1, 1), where = c("A", "B", "C", "D"))
first_person <- function(...) {
  other <- people
  new <- list(...)
  for (name in names(new)) other[[name]][1] <- new[[name]]
  other
}
frames <- local({
  well <- people
  well$ill <- TRUE
  one_ill <- well
  one_ill$ill[1] <- FALSE
  coded <- function(data) transform(data, ill = as.numeric(ill))
  words <- function(data) transform(data, ill = ifelse(ill, "yes", "no"))
  list(
    "values out of bounds" = list(first_person(a = 1e300, b = -1e300, c = 1e-320),
      first_person(a = 0, b = 0, c = 0)),
    "a level of its own" = list(people, first_person(where = "D")),
    "logical labels" = list(well, one_ill),
    "labels 0 and 1" = list(coded(well), coded(one_ill)),
    "labels by name" = list(words(well), words(one_ill),
      schema = do.call(dpadmm_schema, c(unclass(public), list(ill = c("no", "yes")))))
  )
})

for (name in names(all_methods())) {
  method <- all_methods()[[name]]()

  test_that(paste0(name, "(): fits of neighbouring matrices differ in noisy values only"), {
    for (kind in names(pairs)) {
      pair <- pairs[[kind]]
      fit <- function(data) {
        loss <- if (is.null(pair$loss)) "logistic" else pair$loss
        do.call(small_fit, c(list(method, iterations = 3, loss = loss), data))
      }
      expect_alike(fit(pair[[1]]), fit(pair[[2]]), kind)
    }
  })

  test_that(paste0(name, "(): fits of neighbouring data frames differ in noisy values only"), {
    for (kind in names(frames)) {
      pair <- frames[[kind]]
      fit <- function(data) {
        schema <- if (is.null(pair$schema)) public else pair$schema
        where <- if (on_graph(method)) list(nodes = small$nodes)
        do.call(dpadmm_fit, c(list(ill ~ a + b + c + where, data, schema = schema,
          method = method, epsilon = 5, delta = 1e-4, iterations = 3, seed = 1), where))
      }
      expect_alike(fit(pair[[1]]), fit(pair[[2]]), kind)
    }
  })

  if (!on_graph(method)) {
    test_that(paste0(name, "(): fits of several holders differ in noisy values only"), {
      for (kind in names(pairs)) {
        pair <- pairs[[kind]]
        fit <- function(data) {
          loss <- if (is.null(pair$loss)) "logistic" else pair$loss
          do.call(small_fit, c(list(method, nodes = small$nodes, loss = loss), data))
        }
        expect_alike(fit(pair[[1]]), fit(pair[[2]]), kind)
      }
    })
  }

  if (inherits(method, "dpadmm_family_server")) {
    test_that(paste0(name, "(): users with more and less data differ in what is said public"), {
      method$parameters$unit <- "holder"
      fit <- function(rows) {
        suppressWarnings(dpadmm_fit(small$x[rows, ], small$y[rows], nodes = small$nodes[rows],
          method = method, epsilon = 5, delta = 1e-4, iterations = 3, seed = 1))
      }
      one <- fit(1:48)
      two <- fit(setdiff(1:48, which(small$nodes == 1)[1:9]))
      found <- differences(silenced(one), silenced(two))
      sizes <- "[$](nodes[$]size|problem[$]size|problem[$]records|problem[$]users[$]size)$"
      expect_identical(grep(sizes, found, value = TRUE, invert = TRUE), character())
      if (length(found) > 0L) {
        expect_output(print(privacy(one)), "number of records of each holder is taken to be public")
      }
    })
  }
}

test_that("the comparison sees what it is there to see", {
  fit <- unclass(small_fit("dp_sgd", iterations = 2))
  spoilt <- list(
    "fit$blueprint$classes" = function(f) {
      f$blueprint$classes <- c(0, 1)
      f
    },
    "fit$nodes$size" = function(f) {
      f$nodes$size <- f$nodes$size + 1L
      f
    },
    "attr(fit, names)" = function(f) {
      names(f)[3] <- "other"
      f
    }
  )
  for (where in names(spoilt)) {
    expect_true(where %in% differences(silenced(fit), silenced(spoilt[[where]](fit))))
  }
  longer <- fit
  longer$coefficients <- cbind(fit$coefficients, 0)
  expect_true(length(differences(silenced(fit), silenced(longer))) > 0)
  other <- small_fit("dp_sgd", iterations = 2, seed = 2)
  expect_identical(differences(silenced(fit), silenced(unclass(other))), character())
  expect_identical(held_environments(list(1, list(new.env()))), "an environment")
  expect_identical(held_environments(fit), character())
})
