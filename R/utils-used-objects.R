# What a user's function depends on: sent to workers, and hashed to tell experiments apart.

#' What `run` uses outside of packages, itself or through other functions: `globals`, the objects
#' of the global environment by name; `code`, all of it in a form that is the same in every
#' session (functions by their text, without references to sources or compiled code).
#' @noRd
used_objects <- function(run) {
  globals <- list()
  seen <- list()
  describe <- function(x) {
    if (is.function(x)) return(describe_function(x))
    if (is.environment(x)) return("environment")
    if (is.list(x)) return(c(list(class(x)), lapply(unclass(x), describe)))
    if (is.language(x)) return(deparse(x))
    x
  }
  describe_function <- function(f) {
    if (is.primitive(f) || isNamespace(environment(f))) return(deparse(f))
    for (k in seq_along(seen)) {
      if (identical(seen[[k]], f)) return(sprintf("function %d", k))
    }
    seen[[length(seen) + 1L]] <<- f
    names <- sort(unique(codetools::findGlobals(f)), method = "radix")
    parts <- lapply(stats::setNames(nm = names), function(name) look_up(name, environment(f)))
    text <- deparse(utils::removeSource(f), control = c("keepNA", "keepInteger", "digits17"))
    c(list(text), Filter(Negate(is.null), parts))
  }
  look_up <- function(name, env) {
    while (!identical(env, emptyenv()) && !identical(env, baseenv()) && !isNamespace(env)) {
      global <- identical(env, globalenv())
      if (exists(name, env, inherits = FALSE)) {
        # a missing argument exists and has no value
        value <- tryCatch(get(name, env, inherits = FALSE), error = function(e) NULL)
        if (global) globals[[name]] <<- value
        return(describe(value))
      }
      if (global) return(NULL)
      env <- parent.env(env)
    }
    NULL
  }
  list(code = describe(run), globals = globals)
}

fingerprint <- function(code) cli::hash_obj_md5(code)
