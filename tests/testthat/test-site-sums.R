# What a hub may try with the sites of a secure sum. Each is refused by name, or an attempt is lost
# and charged; no message is ever opened alone.

skip_on_cran()

expect_closed <- function(words, plain) expect_lt(mean(words == plain), 0.25)

test_that("the sum opens to that of the plain messages, and no part of it does", {
  skip_unless_sums()
  hub <- sum_hub()
  begin_sum(hub)
  for (round in 1:2) {
    sent <- sum_messages(hub, round)
    expect_identical(lengths(sent), rep(8L * hub$d, 3L))
    expect_identical(sum_messages(hub, round), sent) # stored
    plain <- plain_parts(hub)
    expect_identical(opened(sent), sum_of_words(plain))
    for (some in list(1, 2, 3, 1:2, 2:3, c(1, 3))) {
      expect_closed(opened(sent[some]), sum_of_words(plain[some]))
    }
  }
})

test_that("a hub that drops a message has lost an attempt, of as many as were charged", {
  skip_unless_sums()
  hub <- sum_hub(sum_plan(failures = 2))
  begin_sum(hub)
  expect_identical(unname(hub$charges()), rep(1L, 3))
  tries <- lapply(0:2, function(attempt) sum_messages(hub, 1, attempt))
  plain <- lapply(0:2, function(attempt) plain_parts(hub, attempt))
  for (k in 1:3) {
    expect_identical(opened(tries[[k]]), sum_of_words(plain[[k]]))
    # a message that is dropped is not made up for by one of another attempt
    for (other in setdiff(1:3, k)) {
      mixed <- c(tries[[k]][1:2], tries[[other]][3])
      expect_closed(opened(mixed), sum_of_words(c(plain[[k]][1:2], plain[[other]][3])))
      expect_false(identical(plain[[k]][[1]], plain[[other]][[1]])) # fresh noise
    }
  }
  expect_site_refuses(hub$step("A", 1, 3), "attempt") # never in this plan
  for (round in 2:3) expect_null(hub$step("A", round, 0)$error)
  expect_site_refuses(hub$step("A", 3, 1), "attempt") # there were two in the whole run
  expect_null(hub$step("A", 4, 1)$error) # who was not asked the first time may answer the next
  expect_site_refuses(hub$step("A", 4, 2), "attempt")
  expect_site_refuses(hub$step("A", 5, 0), "round")
  expect_identical(unname(hub$charges()), rep(1L, 3))
})

test_that("what is asked again is answered as it was, by another process, too, or not at all", {
  skip_unless_sums()
  hub <- sum_hub()
  signed <- begin_sum(hub)
  first <- sum_messages(hub, 1)
  second <- sum_messages(hub, 1, 1)
  again <- sum_hub(hub$plan, hub$known, hub$run, hub$ledger) # the same sites, started again
  expect_identical(sum_messages(again, 1, 1), second)
  for (name in names(again$sites)) {
    expect_site_refuses(again$step(name, 1, 0), "attempt")
    expect_site_refuses(again$step(name, 1, 1, inbox = rep(1, hub$d)), "inbox")
    expect_site_refuses(again$step(name, 1, 2, inbox = rep(1, hub$d)), "inbox")
    expect_identical(again$open(name)$value$signed, signed[[match(name, names(again$sites))]])
  }
  expect_identical(opened(sum_messages(again, 2)), sum_of_words(plain_parts(again)))
  # a message of an earlier run does not fit this one
  other <- sum_hub(hub$plan, hub$known)
  begin_sum(other)
  mixed <- c(first[1L], sum_messages(other, 1)[2:3])
  expect_closed(opened(mixed), sum_of_words(plain_parts(other)))
})

test_that("signatures of another run are refused by name, and nothing is sent", {
  skip_unless_sums()
  known <- known_sites(names(sum_sizes))
  old <- sum_hub(known = known)
  signed <- begin_sum(old)
  hub <- sum_hub(known = known)
  own <- lapply(names(hub$sites), function(name) hub$open(name)$value$signed)
  for (k in 1:3) {
    replayed <- own
    replayed[[k]] <- signed[[k]]
    name <- names(hub$sites)[k %% 3 + 1] # another site than that one
    answer <- hub$join(name, replayed)
    expect_site_refuses(answer, "keys")
    expect_match(answer$message, sprintf("\"%s\"", names(hub$sites)[k]), fixed = TRUE)
  }
  for (name in names(hub$sites)) expect_site_refuses(hub$step(name), "keys")
})

test_that("a hub that alters an inbox gets noise, or is refused", {
  skip_unless_sums()
  hub <- sum_hub()
  begin_sum(hub)
  sent <- c(
    lapply(c("A", "B"), function(name) hub$step(name, 1)$value$values),
    list(hub$step("C", 1, inbox = rep(0.5, hub$d))$value$values)
  )
  expect_closed(opened(sent), sum_of_words(plain_parts(hub)))
  expect_site_refuses(hub$step("C", 1), "inbox")
  # and one that alters a message has a sum that is nobody's
  hub <- sum_hub()
  begin_sum(hub)
  sent <- sum_messages(hub, 1)
  sent[[1L]][1:8] <- xor(sent[[1L]][1:8], as.raw(255))
  expect_false(identical(opened(sent), sum_of_words(plain_parts(hub))))
})

test_that("a fake site is unknown to the others", {
  skip_unless_sums()
  known <- known_sites(names(sum_sizes))
  four <- known_sites(c(names(sum_sizes), "F"))
  four$file[names(known$file)] <- known$file
  four$peers[names(known$peers)] <- known$peers
  hub <- sum_hub(sum_plan(c(sum_sizes, F = 30)), four)
  honest <- sum_hub(sum_plan(c(sum_sizes, F = 30)), list(file = four$file, peers = four$peers))
  # A, B and C were told of each other only
  for (name in c("A", "B", "C")) {
    policy <- honest$sites[[name]]$it$policy
    policy$peers <- known$peers
    honest$sites[[name]]$it$policy <- policy
    for (request in c("check", "open")) {
      answer <- site_answer(honest$sites[[name]], request, list(run = honest$run,
        recipe = honest$recipe, analyst = "me"))
      expect_site_refuses(answer, "Peers")
      expect_match(answer$message, "\"F\"", fixed = TRUE)
    }
  }
  expect_identical(unname(honest$charges()[c("A", "B", "C")]), rep(0L, 3))
  # nor can one more key come in later
  hub <- sum_hub(known = known)
  signed <- lapply(names(hub$sites), function(name) hub$open(name)$value$signed)
  expect_site_refuses(hub$join("A", c(signed, signed[1L])), "keys")
  expect_site_refuses(hub$join("A", signed[1:2]), "keys")
  expect_site_refuses(hub$join("A", list()), "keys")
})

test_that("keys that a hub swaps, or signs itself, are refused by name", {
  skip_unless_sums()
  hub <- sum_hub()
  signed <- lapply(names(hub$sites), function(name) hub$open(name)$value$signed)
  plan <- digest_of(text_from_wire(hub$recipe))
  mine <- known_sites("B") # the hub's own identity, in the place of B's
  forged <- run_keys(list(site = "B", identity = mine$file[["B"]]), hub$run, plan, LETTERS[1:3])
  flipped <- signed[[2L]]
  flipped[1L] <- xor(flipped[1L], as.raw(1))
  cases <- list(
    swapped = signed[c(1, 3, 2)], forged = list(signed[[1]], forged$signed, signed[[3]]),
    flipped = list(signed[[1]], flipped, signed[[3]]), doubled = signed[c(1, 3, 3)]
  )
  for (case in names(cases)) {
    answer <- hub$join("A", cases[[case]])
    expect_site_refuses(answer, "keys")
    expect_match(answer$message, "key of \"B\" is not signed by it", label = case)
  }
  answer <- hub$join("A", signed[c(2, 1, 3)])
  expect_site_refuses(answer, "keys")
  expect_match(answer$message, "\"A\" is not the one it gave")
  # C signs what A gave as its own
  own <- key_statement(hub$run, plan, LETTERS[1:3], "C", signed[[1L]][1:32])
  twin <- c(signed[[1L]][1:32], identity_sign(hub$known$file[["C"]], own))
  answer <- hub$join("B", list(signed[[1L]], signed[[2L]], twin))
  expect_site_refuses(answer, "keys")
  expect_match(answer$message, "\"C\" has the key of another site")
  # what was refused has changed nothing
  expect_site_refuses(hub$step("A"), "keys")
  for (name in names(hub$sites)) expect_null(hub$join(name, signed)$error)
  sent <- sum_messages(hub, 1)
  expect_identical(unname(lengths(sent)), rep(8L * hub$d, 3L))
  # and once they are there, no others
  expect_null(hub$join("A", signed)$error)
  expect_site_refuses(hub$join("A", signed[c(1, 3, 2)]), "keys")
})

test_that("one round of two sets of sites, or of two plans, is none", {
  skip_unless_sums()
  known <- known_sites(c("A", "B", "C", "D"))
  all <- sum_hub(sum_plan(c(sum_sizes, D = 30)), known)
  signed <- begin_sum(all)
  # the same run with a set of three, at one of the four
  three <- sum_plan()
  answer <- all$ask("A", "open", recipe = text_to_wire(plan_recipe(three)), analyst = "me")
  expect_site_refuses(answer, "plan")
  # the hub tells C alone of the set of three, by the same run's name
  other <- sum_hub(three, known, run = all$run)
  fewer <- lapply(c("A", "B", "C"), function(name) other$open(name)$value$signed)
  answer <- other$join("C", c(signed[1:2], fewer[3]))
  expect_site_refuses(answer, "keys")
  expect_match(answer$message, "\"A\" is not signed by it for this run")
  expect_site_refuses(all$join("A", signed[1:3]), "keys")
  # two attempts at two sets: neither opens
  for (name in c("A", "B", "C")) expect_null(other$join(name, fewer)$error)
  sent <- c(lapply(c("A", "B"), function(n) all$step(n)$value$values),
    list(other$step("C")$value$values))
  both <- list(run = all$run, sites = c(all$sites[1:2], other$sites[3]))
  expect_closed(opened(sent), sum_of_words(plain_parts(both)))
  # the same sites, by a plan of other noise
  less <- sum_hub(sum_plan(c(sum_sizes, D = 30), epsilon = 4), known, run = all$run)
  other <- lapply(names(less$sites), function(name) less$open(name)$value$signed)
  answer <- less$join("D", c(signed[1:3], other[4]))
  expect_site_refuses(answer, "keys")
  expect_match(answer$message, "\"A\" is not signed by it for this run")
})

test_that("no identity, or a key that is none, is refused, and nothing is charged", {
  skip_unless_sums()
  known <- known_sites(names(sum_sizes))
  hub <- sum_hub(known = known)
  it <- hub$sites$A$it
  it$policy[c("identity", "peers")] <- list(NULL)
  expect_site_refuses(hub$ask("A", "check", recipe = hub$recipe), "Identity")
  expect_site_refuses(hub$open("A"), "Identity")
  gone <- sum_hub(known = known_sites(names(sum_sizes)))
  unlink(gone$known$file[["B"]])
  answer <- gone$open("B")
  expect_site_refuses(answer, "Identity")
  expect_false(grepl(dirname(gone$known$file[["B"]]), answer$message, fixed = TRUE))
  expect_identical(unname(c(hub$charges()[["A"]], gone$charges()[["B"]])), c(0L, 0L))
  # noise for nobody who colludes, or for fewer than the policy says
  trusting <- dpadmm_plan(ill ~ age + smoker, site_schema, sum_sizes, method = grad_admm(),
    epsilon = 2, delta = 1e-4, na.action = "omit", seed = 1, iterations = 2,
    aggregation = secure_sum(honest = 3))
  expect_site_refuses(sum_hub(trusting, known)$open("C"), "honest")
  expect_null(sum_hub(trusting, known, colluders = 0)$open("C")$error)
  expect_site_refuses(sum_hub(known = known, colluders = 2)$open("C"), "honest")
  # a point of small order, signed by a site that colludes
  plan <- digest_of(text_from_wire(hub$recipe))
  signed <- lapply(c("B", "C"), function(name) hub$open(name)$value$signed)
  weak <- raw(32)
  statement <- key_statement(hub$run, plan, LETTERS[1:3], "A", weak)
  bad <- c(weak, identity_sign(known$file[["A"]], statement))
  expect_site_refuses(hub$join("B", c(list(bad), signed)), "keys")
  expect_site_refuses(hub$step("B"), "keys")
  # the keys of a plain run
  plain <- one_site(site_policy("A", site_schema, 50, 1e-3), site_frames()$A,
    dpadmm_plan(ill ~ age + smoker, site_schema, c(A = 300, B = 200), epsilon = 1, delta = 1e-4,
      na.action = "omit", seed = 1, iterations = 2))
  plain$open()
  expect_site_refuses(plain$ask("join", run = plain$run, keys = keys_to_wire(signed)), "run")
  expect_site_refuses(plain$ask("step", run = plain$run, round = 1,
    inbox = doubles_to_wire(numeric(4)), attempt = 0), "attempt")
})

test_that("what is no attempt is refused", {
  skip_unless_sums()
  hub <- sum_hub()
  begin_sum(hub)
  for (attempt in list(NULL, -1, 0.5, NaN, Inf, "0", c(0, 1), 3, 2^31)) {
    expect_site_refuses(hub$step("A", 1, attempt), "attempt")
  }
  expect_null(hub$step("A", 1, 0)$error)
})

test_that("nothing without a mask is stored, and keys are forgotten with the run", {
  skip_unless_sums()
  hub <- sum_hub()
  before <- lapply(names(hub$sites), function(name) hub$open(name)$value$signed)
  row <- function(name) {
    it <- hub$sites[[name]]$it
    with_store(it, function(con) store_run(con, run_at(it, hub$run)))
  }
  expect_length(row("A")$secret, 32L)
  for (name in names(hub$sites)) hub$join(name, before)
  expect_null(row("A")$secret)
  expect_length(row("A")$masks, 64L)
  sent <- hub$step("A", 1)$value$values
  expect_identical(row("A")$message, sent)
  masks <- hub$sites$A$it$live[[hub$run]]$masks
  expect_true(any(masks != 0))
  hub$ask("A", "close")
  expect_true(all(masks == 0))
  for (field in c("key", "state", "message", "secret", "masks")) expect_null(row("A")[[field]])
  expect_site_refuses(hub$step("A", 1), "run")
})
