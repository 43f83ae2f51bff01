# Processes that are killed in the middle of what they do. Long versions: tools/siege.

#' Run code in a forked process and kill it (SIGKILL) after some seconds, if it is still there.
#' @return whether it was killed.
killed_after <- function(seconds, code) {
  job <- parallel::mcparallel(code, silent = TRUE)
  until <- Sys.time() + seconds
  done <- NULL
  while (is.null(done) && (left <- as.double(until - Sys.time(), units = "secs")) > 0) {
    done <- parallel::mccollect(job, wait = FALSE, timeout = left)
  }
  if (!is.null(done)) return(FALSE)
  tools::pskill(job$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(job))
  TRUE
}

#' A site that is killed again and again while a hub goes through a run after the other.
#' @param most seconds that it lives.
#' @return what an observer saw: charges, and every message that left, by run and round.
siege_site <- function(kills, most = 0.3, rounds = 4, seed = 1) {
  set.seed(seed) # moments of death
  ledger <- tempfile(fileext = ".sqlite")
  said <- tempfile()
  plan <- dpadmm_plan(ill ~ age + smoker, site_schema, c(A = 300, B = 200),
    epsilon = 0.05, delta = 1e-4, na.action = "omit", seed = 1, iterations = rounds
  )
  policy <- site_policy("A", site_schema, 50, 1e-4, ledger = ledger)
  recipe <- text_to_wire(plan_recipe(plan))
  data <- site_frames()$A
  dead <- 0L
  number <- 0L
  while (dead < kills || number < 2L) {
    number <- number + 1L
    run <- sprintf("%032x", number)
    round <- 0L
    while (round <= rounds) {
      was_killed <- killed_after(stats::runif(1, 0, most), {
        site <- dpadmm_site(policy, data)
        if (round == 0L) {
          answer <- site_answer(site, "open", list(run = run, recipe = recipe, analyst = "me"))
        } else {
          inbox <- doubles_to_wire(rep(round / 10, 4))
          answer <- site_answer(site, "step", list(run = run, round = round, inbox = inbox))
        }
        heard <- list(run = run, round = round, answer = answer)
        con <- file(said, "ab")
        serialize(heard, con)
        close(con)
      })
      if (was_killed) {
        dead <- dead + 1L
        most <- most * 1.1 # a slow machine must get somewhere
      } else {
        most <- most / 1.1
        round <- round + 1L
      }
    }
  }
  heard <- list()
  con <- file(said, "rb")
  while (!is.null(one <- tryCatch(unserialize(con), error = function(e) NULL))) {
    heard[[length(heard) + 1L]] <- one
  }
  close(con)
  con <- store_connect(ledger)
  charged <- ledger_query(con, "SELECT run FROM charge")$run
  ok <- ledger_verify(con)$ok
  ledger_disconnect(con)
  list(killed = dead, runs = number, heard = heard, charged = charged, chain = ok)
}

#' What must hold of it.
expect_unbroken <- function(seen) {
  expect_true(seen$chain)
  expect_identical(anyDuplicated(seen$charged), 0L) # one charge a run
  released <- Filter(function(h) !is.null(h$answer$value$values), seen$heard)
  refused <- Filter(function(h) !is.null(h$answer$error), seen$heard)
  expect_length(refused, 0L)
  expect_gt(length(released), 0L)
  expect_true(all(vapply(released, `[[`, "", "run") %in% seen$charged))
  key <- vapply(released, function(h) paste(h$run, h$round), "")
  for (same in split(released, key)) { # one message a round, whoever died
    values <- unique(lapply(same, function(h) h$answer$value$values))
    expect_length(values, 1L)
  }
}

#' A hub that is killed again and again in one fit.
#' @return the models of the fit that was taken up again each time, and of one left in peace.
siege_hub <- function(kills, most = 0.4, seed = 1, iterations = 8) {
  set.seed(seed)
  frames <- site_frames()
  ledger <- tempfile(fileext = ".sqlite")
  sites <- function() {
    sites_local(frames, site_schema, epsilon = 100, delta = 1e-4, simulation = TRUE,
      ledger = ledger)
  }
  plan <- dpadmm_plan(ill ~ age + smoker, site_schema, lengths(lapply(frames, `[[`, 1L)),
    epsilon = 8, delta = 1e-4, na.action = "omit", seed = 1, iterations = iterations)
  save <- tempfile()
  model <- tempfile()
  dead <- 0L
  while (!file.exists(model)) {
    was_killed <- killed_after(if (dead < kills) stats::runif(1, 0, most) else 120, {
      fit <- if (file.exists(save)) {
        dpadmm_resume(save, sites())
      } else {
        dpadmm_fit(plan, sites(), seed = 7, save = save)
      }
      saveRDS(fit$coefficients, paste0(model, "-new"))
      file.rename(paste0(model, "-new"), model)
    })
    if (was_killed) {
      dead <- dead + 1L
      most <- most * 1.05
    } else if (!file.exists(model)) stop("the hub ended by itself, without a model")
  }
  list(killed = dead, model = readRDS(model),
    peace = dpadmm_fit(plan, sites(), seed = 7)$coefficients)
}

#' Processes that race for what is left of a budget.
#' @return how many charges went through, and how many of them one process alone could have made.
siege_budget <- function(processes = 8, epsilon = 1) {
  plan <- dpadmm_plan(ill ~ age + smoker, site_schema, c(A = 300, B = 200),
    epsilon = 0.5, delta = 1e-4, na.action = "omit", seed = 1, iterations = 2
  )
  recipe <- text_to_wire(plan_recipe(plan))
  data <- site_frames()$A
  race <- function(processes) {
    policy <- site_policy("A", site_schema, epsilon, 1e-4,
      ledger = tempfile(fileext = ".sqlite"))
    dpadmm_site(policy, data)
    jobs <- lapply(seq_len(processes), function(p) {
      parallel::mcparallel({
        site <- dpadmm_site(policy, data)
        went <- 0L
        for (k in 1:20) {
          run <- sprintf("%016x%016x", p, k)
          answer <- site_answer(site, "open", list(run = run, recipe = recipe, analyst = "me"))
          if (is.null(answer$error)) went <- went + 1L
          else if (answer$error != "budget") stop(answer$message)
        }
        went
      }, silent = TRUE)
    })
    went <- parallel::mccollect(jobs)
    con <- store_connect(policy$ledger)
    on.exit(ledger_disconnect(con))
    charges <- ledger_query(con, "SELECT COUNT(*) AS n FROM charge")$n
    list(went = sum(unlist(went)), charges = charges,
      chain = ledger_verify(con)$ok, left = ledger_left(con, "A")$left)
  }
  c(race(processes), list(alone = race(1L)$went))
}
