# Limits of size: what is longer than a reader holds in the head. tools/lint runs this script.

longest <- list(r_file = 300L, c_file = 350L, fun = 60L, line = 100L)

long_files <- function(files, limit) {
  lines <- vapply(files, function(file) length(readLines(file, warn = FALSE)), 0L)
  sprintf("%s: %d lines, not %d", files, lines, limit)[lines > limit]
}

long_lines <- function(files, limit = longest$line) {
  unlist(lapply(files, function(file) {
    width <- nchar(readLines(file, warn = FALSE), "chars")
    sprintf("%s:%d: %d characters, not %d", file, which(width > limit), width[width > limit], limit)
  }))
}

#' Functions of R files over the limit; what is defined inside a function counts with it.
long_r_functions <- function(files, limit = longest$fun) {
  unlist(lapply(files, function(file) {
    tokens <- utils::getParseData(parse(file, keep.source = TRUE))
    heads <- tokens[tokens$token %in% c("FUNCTION", "'\\\\'"), ]
    whole <- tokens[match(heads$parent, tokens$id), ]
    size <- whole$line2 - whole$line1 + 1L
    sprintf("%s:%d: a function of %d lines, not %d", file, whole$line1, size, limit)[size > limit]
  }))
}

#' Functions of C files over the limit. In the layout that clang-format keeps, a function ends
#' with a brace alone at the left edge, and begins at the last name at the left edge before it.
long_c_functions <- function(files, limit = longest$fun) {
  unlist(lapply(files, function(file) {
    lines <- readLines(file, warn = FALSE)
    names <- which(grepl("^[A-Za-z_]", lines) & !grepl("^[A-Za-z_]+:$", lines))
    ends <- which(lines == "}")
    begins <- vapply(ends, function(end) max(names[names < end], 1L), 0)
    size <- as.integer(ends - begins) + 1L
    sprintf("%s:%d: a function of %d lines, not %d", file, begins, size, limit)[size > limit]
  }))
}

r_files <- function(folder) list.files(folder, "[.]R$", recursive = TRUE, full.names = TRUE)
c_files <- function(folder) list.files(folder, "[.][ch]$", recursive = TRUE, full.names = TRUE)

#' All checks, as a list: title = character vector of complaints.
check_sizes <- function() {
  others <- c("bench", "data-raw", "inst", "tools")
  scripts <- c(".ci/run", setdiff(list.files("tools", full.names = TRUE), r_files("tools")))
  list(
    "size of files, R" = long_files(r_files("R"), longest$r_file),
    "size of files, tests" = long_files(r_files("tests"), longest$r_file),
    "size of files, other R" = long_files(r_files(others), longest$r_file),
    "size of files, C" = long_files(c_files("src"), longest$c_file),
    "size of files, C tests" = long_files(c_files("tests/core"), longest$c_file),
    "size of functions, R" = long_r_functions(r_files("R")),
    "size of functions, other R" = long_r_functions(r_files(c("tests", others))),
    "size of functions, C" = long_c_functions(c_files("src")),
    "size of functions, C tests" = long_c_functions(c_files("tests/core")),
    "length of lines, C" = long_lines(c_files(c("src", "tests/core"))),
    "length of lines, scripts" = long_lines(scripts)
  )
}
