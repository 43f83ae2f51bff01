# The rooms of the house: which part of the package may use which.
#
# A file of R/ belongs to the room its name begins with ("plan-graph.R" to "plan"), a file of
# src/core/ to the room of its folder. This script is the plan of both; tools/lint runs it.
# A call is found by the name of what is called, so an S3 method counts as part of the room
# of its own file, and a call of a generic leads to the room that defines the generic.

# Each room and the rooms it may use. A room of its own is one line here.
r_rooms <- list(
  utils = character(),
  problem = "utils",
  privacy = c("utils", "problem"),
  data = c("utils", "problem"),
  method = c("utils", "problem", "privacy"),
  plan = c("utils", "problem", "privacy", "method"),
  run = c("utils", "problem", "privacy", "method", "plan", "data"),
  site = c("utils", "problem", "privacy", "method", "plan", "run", "data"),
  fit = c("utils", "problem", "privacy", "method", "plan", "run", "data", "site"),
  theorem = c("utils", "problem", "privacy", "method", "plan", "fit"),
  audit = c("utils", "problem", "privacy", "method", "plan", "run", "data", "fit", "site"),
  study = c("utils", "problem", "privacy", "method", "plan", "run", "data", "fit", "theorem")
)
# "basics" are the headers that lie in src/core itself; "ffi" is src/*.[ch].
c_rooms <- list(
  basics = character(),
  data = "basics",
  random = "basics",
  account = "basics",
  rules = c("basics", "data", "random"),
  run = c("basics", "data", "random", "rules"),
  ffi = c("basics", "data", "random", "account", "rules", "run")
)
# What the core never does itself: it is handed memory, and hands back a status.
never_in_core <- c("printf", "fprintf", "puts", "putchar", "malloc", "calloc", "realloc", "free",
  "exit", "abort", "rand", "srand", "stdout", "stderr")
# R's own prototypes of BLAS and LAPACK are the one thing of R's that the core may include,
# here only.
may_include_r <- "src/core/blas.h"

# ---- R ---------------------------------------------------------------------------------

room_of <- function(file) sub("-.*", "", sub("[.]R$", "", basename(file)))

#' What the files define at top level: name, file, room, and the value as a function, whose
#' body is searched for what it uses (a table of functions uses the functions in it).
definitions <- function(files) {
  found <- list()
  for (file in files) {
    for (expression in as.list(parse(file, keep.source = FALSE))) {
      if (!is.call(expression)) next
      assigns <- identical(expression[[1L]], quote(`<-`)) && is.name(expression[[2L]])
      value <- if (assigns) expression[[3L]] else expression
      # code that another process is handed
      if (is.call(value) && identical(value[[1L]], quote(quote))) value <- value[[2L]]
      is_function <- is.call(value) && identical(value[[1L]], quote(`function`))
      found[[length(found) + 1L]] <- list(
        name = if (assigns) as.character(expression[[2L]]) else "",
        file = basename(file), room = room_of(file),
        value = if (is_function) eval(value, baseenv()) else as.function(list(value), baseenv())
      )
    }
  }
  found
}

#' Who uses whom: one row for each definition and each name of the package it uses.
uses <- function(found) {
  names <- vapply(found, `[[`, "", "name")
  rows <- lapply(found, function(one) {
    used <- setdiff(intersect(codetools::findGlobals(one$value), names), c(one$name, ""))
    if (length(used) == 0L) return(NULL)
    to <- found[match(used, names)]
    data.frame(
      file = one$file, from = one$name, to = used, from_room = one$room,
      to_room = vapply(to, `[[`, "", "room")
    )
  })
  do.call(rbind, rows)
}

#' The calls from one room to a room it may not use, as text.
forbidden_calls <- function(arrows, rooms) {
  allowed <- lapply(names(rooms), function(from) paste(from, c(from, rooms[[from]])))
  bad <- arrows[!paste(arrows$from_room, arrows$to_room) %in% unlist(allowed), ]
  bad <- bad[order(bad$from_room, bad$to_room, bad$file), ]
  sprintf("%s never uses %s: %s:%s -> %s", bad$from_room, bad$to_room, bad$file,
    ifelse(bad$from == "", "(top level)", bad$from), bad$to)
}

#' A cycle among rooms, as text: what is left when rooms that use no other are taken away, and
#' rooms that no other uses.
cycles <- function(arrows) {
  between <- unique(arrows[arrows$from_room != arrows$to_room, c("from_room", "to_room")])
  repeat {
    inner <- between$to_room %in% between$from_room & between$from_room %in% between$to_room
    if (all(inner)) break
    between <- between[inner, ]
  }
  if (nrow(between) == 0L) return(character())
  pairs <- paste(between$from_room, "->", between$to_room)
  sprintf("cycle among rooms %s: %s", paste(sort(unique(between$from_room)), collapse = ", "),
    paste(sort(pairs), collapse = ", "))
}

unknown_rooms <- function(files, rooms) {
  lost <- files[!room_of(files) %in% names(rooms) & !grepl("-package[.]R$", files)]
  sprintf("%s: its room is not in the table of tools/rooms.R", lost)
}

#' Names defined more than once, of which R keeps the last.
twice_defined <- function(found) {
  names <- vapply(found, `[[`, "", "name")
  files <- vapply(found, `[[`, "", "file")
  again <- duplicated(names) & names != ""
  sprintf("%s:%s is defined elsewhere too", files[again], names[again])
}

#' Functions that help pages are made with.
in_help_pages <- function(files = list.files("R", full.names = TRUE)) {
  lines <- grep("^#'.*`r [a-z_.]+\\(", unlist(lapply(files, readLines)), value = TRUE)
  sub(".*`r ([a-z_.]+)\\(.*", "\\1", lines)
}

#' Definitions that nothing reaches from what users or R itself can call.
dead_definitions <- function(found, arrows, namespace) {
  names <- vapply(found, `[[`, "", "name")
  directives <- as.list(parse(namespace, keep.source = FALSE))
  named <- function(what) Filter(function(d) identical(d[[1L]], as.name(what)), directives)
  exported <- unlist(lapply(named("export"), function(d) vapply(as.list(d)[-1L], as.character, "")))
  methods <- vapply(named("S3method"), function(d) {
    generic <- as.character(d[[2L]])
    paste(generic[length(generic)], as.character(d[[3L]]), sep = ".")
  }, "")
  # a generic of the package's own finds methods that NAMESPACE does not name
  generics <- names[vapply(found, function(one) "UseMethod" %in% all.names(body(one$value)), NA)]
  own <- expand.grid(generic = generics, method = names, stringsAsFactors = FALSE)
  own <- own[startsWith(own$method, paste0(own$generic, ".")), ]
  alive <- c(exported, methods, in_help_pages(), ".onLoad", ".onUnload", ".onAttach", "")
  repeat {
    more <- setdiff(c(arrows$to[arrows$from %in% alive], own$method[own$generic %in% alive]), alive)
    if (length(more) == 0L) break
    alive <- c(alive, more)
  }
  dead <- Filter(function(one) !one$name %in% alive, found)
  vapply(dead, function(one) sprintf("%s:%s is used nowhere", one$file, one$name), "")
}

# ---- C ---------------------------------------------------------------------------------

#' The lines of a C file without comments and strings, which may say what code may not.
c_code <- function(file) {
  text <- paste(readLines(file, warn = FALSE), collapse = "\n")
  blank <- function(text, pattern) {
    at <- gregexpr(pattern, text, perl = TRUE)
    regmatches(text, at) <- lapply(regmatches(text, at), gsub, pattern = "[^\n]", replacement = " ")
    text
  }
  text <- blank(text, "(?s)/\\*.*?\\*/|//[^\n]*")
  # an included file's name stays
  text <- blank(text, "(?<!include )\"(\\\\.|[^\"\\\\\n])*\"")
  strsplit(text, "\n")[[1L]]
}

c_room_of <- function(file) {
  path <- strsplit(sub("^src/", "", file), "/")[[1L]]
  if (path[1L] == "nowhere") return("nowhere")
  if (path[1L] != "core") "ffi" else if (length(path) == 2L) "basics" else path[2L]
}

#' What a file of the package includes of it, as paths from the top; it is looked for beside
#' the file, in src/core and in src.
included <- function(file, code) {
  names <- sub('.*"(.*)".*', "\\1", grep('^ *# *include *"', code, value = TRUE))
  vapply(names, function(name) {
    path <- file.path(c(dirname(file), "src/core", "src"), name)
    path <- c(path[file.exists(path)], file.path("src/nowhere", name))[1L]
    while (grepl("[^/]+/[.][.]/", path)) path <- sub("[^/]+/[.][.]/", "", path)
    path
  }, "")
}

c_arrows <- function(files) {
  rows <- lapply(files, function(file) {
    to <- included(file, c_code(file))
    if (length(to) == 0L) return(NULL)
    data.frame(file = file, from = "#include", to = unname(to), from_room = c_room_of(file),
      to_room = vapply(to, c_room_of, ""))
  })
  do.call(rbind, rows)
}

#' Files of src/core that lie in no folder though they are no header, or in an unknown one.
lost_files <- function(files, rooms) {
  room <- vapply(files, c_room_of, "")
  lost <- !room %in% names(rooms) | (room == "basics" & grepl("[.]c$", files))
  sprintf("%s: belongs in a folder that tools/rooms.R knows", files[lost])
}

forbidden_in_core <- function(files) {
  pattern <- sprintf("(?<![.>\\w])(%s)\\b", paste(never_in_core, collapse = "|"))
  r_header <- "# *include *<(R|Rinternals|Rdefines|Rmath|Rconfig|R_ext/[A-Za-z]+)[.]h>"
  unlist(lapply(files, function(file) {
    code <- c_code(file)
    bad <- grepl(pattern, code, perl = TRUE)
    if (file != may_include_r) bad <- bad | grepl(r_header, code)
    sprintf("%s:%d: not in the core: %s", file, which(bad), trimws(code[bad]))
  }))
}

#' Registered routines, X(ffi_name, n) in the headers, that neither the package nor a test calls.
dead_routines <- function(headers) {
  words <- function(files, pattern) {
    text <- unlist(lapply(files, readLines, warn = FALSE))
    unique(unlist(regmatches(text, gregexpr(pattern, text, perl = TRUE))))
  }
  callers <- list.files(c("R", "tests/testthat"), "[.]R$", full.names = TRUE)
  dead <- setdiff(words(headers, "(?<=X\\()ffi_\\w+"), words(callers, "\\bffi_\\w+"))
  sprintf("%s is called nowhere", dead)
}

# ---- both ------------------------------------------------------------------------------

#' Everything that is wrong, as a list of checks: title = character vector of complaints.
check_rooms <- function() {
  r_files <- list.files("R", "[.]R$", full.names = TRUE)
  found <- definitions(r_files)
  arrows <- uses(found)
  known <- arrows$from_room %in% names(r_rooms) & arrows$to_room %in% names(r_rooms)
  c_files <- list.files("src", "[.][ch]$", recursive = TRUE, full.names = TRUE)
  core <- grep("^src/core/", c_files, value = TRUE)
  includes <- c_arrows(c_files)
  known_c <- includes$from_room %in% names(c_rooms)
  list(
    "R rooms are known" = unknown_rooms(r_files, r_rooms),
    "R rooms use what they may" = forbidden_calls(arrows[known, ], r_rooms),
    "R rooms without a cycle" = cycles(arrows),
    "R names defined once" = twice_defined(found),
    "R definitions in use" = dead_definitions(found, arrows, "NAMESPACE"),
    "C rooms are known" = lost_files(c_files, c_rooms),
    "C rooms use what they may" = forbidden_calls(includes[known_c, ], c_rooms),
    "C rooms without a cycle" = cycles(includes),
    "C routines in use" = dead_routines(grep("^src/ffi.*[.]h$", c_files, value = TRUE)),
    "C core on its own" = forbidden_in_core(core)
  )
}
