# Policies that protect persons, where the records are elsewhere: behind DataSHIELD, in a daemon.

skip_on_cran()

# Persons of 1 to 8 records, mixed up; some rows are nobody's.
of_persons <- function(frames) {
  lapply(frames, function(x) {
    k <- seq_len(nrow(x))
    x$who <- sprintf("p%02d", floor(40 * (sin(k * 1.7) * 43758.5453) %% 1))
    x$who[k %% 31 == 0] <- NA
    x
  })
}

#' Which records are among the first `most` of their person's.
first_of_each <- function(who, most) {
  seen <- new.env()
  vapply(who, function(id) {
    if (is.na(id)) return(FALSE)
    seen[[id]] <- (if (is.null(seen[[id]])) 0 else seen[[id]]) + 1
    seen[[id]] <= most
  }, NA, USE.NAMES = FALSE)
}

#' What does not count, as other values.
spoiled <- function(x, most) {
  out <- which(!first_of_each(x$who, most))
  x$age[out] <- rev(x$age[out]) + 5
  x$ill[out] <- c("yes", NA, "no", "never")[seq_along(out) %% 4 + 1]
  x
}

most_records <- 3
wards <- of_persons(list(north = patients(150, 1), south = patients(130, 2)))

person_methods <- list(mr_admm(), admm(1, "primal"), dp_sgd(batch = 0.5),
  fp_admm(unit = "record", noise = "block"))

test_that("a fit for persons over DataSHIELD is that of one process, to the last bit", {
  one <- function(frames, method) {
    at <- hospitals(frames, patient_columns(), simulation = TRUE, person = "who",
      per_person = most_records)
    sites <- sites_datashield(at$conns, at$data)
    expect_identical(sites_public(sites)$per_person, rep(most_records, 2))
    plan <- dpadmm_plan(ill ~ age + smoker, sites, epsilon = 20, delta = 1e-5, iterations = 5,
      method = method)
    list(plan = plan, fit = dpadmm_fit(plan, sites, seed = 7))
  }
  here <- sites_local(Map(function(name, x) {
    dpadmm_site(site_policy(name, patient_columns(), 50, 1e-5, simulation = TRUE, person = "who",
      per_person = most_records), x)
  }, names(wards), wards))
  size <- vapply(wards, nrow, 0L)
  pooled <- do.call(rbind, unname(wards))
  pooled$ward <- rep(names(wards), size)
  pooled$counts <- as.double(unlist(lapply(wards, function(x) first_of_each(x$who, most_records))))
  for (method in person_methods) {
    there <- one(wards, method)
    near <- dpadmm_fit(there$plan, here, seed = 7)
    expect_identical(coef(there$fit, node = "all"), coef(near, node = "all"))
    # what is beyond the limit changes no bit, and weighs nothing
    other <- one(lapply(wards, spoiled, most_records), method)
    expect_identical(coef(other$fit, node = "all"), coef(near, node = "all"))
    weighed <- dpadmm_fit(update(there$plan, case_weights = ~counts, weight_bound = 1), pooled,
      nodes = ~ward, seed = 7)
    expect_equal(coef(there$fit, node = "all"), coef(weighed, node = "all"), tolerance = 1e-12)
  }
  # and a record that counts does change it
  seen <- wards
  seen$north$age[which(first_of_each(seen$north$who, most_records))[1:9]] <- 18
  expect_false(identical(coef(one(seen, mr_admm())$fit), coef(one(wards, mr_admm())$fit)))
})

test_that("a site's ledger is charged what persons may lose, m times what a record may", {
  at <- hospitals(wards, patient_columns(), person = "who", per_person = most_records,
    epsilon = 500)
  sites <- sites_datashield(at$conns, at$data)
  ask <- function(x, ...) dpadmm_plan(ill ~ age, x, delta = 1e-5, iterations = 3, ...)
  for (method in list(admm(1, "primal"), grad_admm())) {
    noise <- ask(sites, method = method, epsilon = 5)$noise
    plan <- ask(sites, method = method, noise = gaussian_noise(2))
    record <- ask(patient_columns(), sizes = plan$problem$size, method = method,
      noise = gaussian_noise(2), na.action = "omit", seed = 1)
    dpadmm_fit(plan, sites)
    path <- file.path(at$home, "north.sqlite")
    con <- DBI::dbConnect(RSQLite::SQLite(), path)
    text <- DBI::dbGetQuery(con, "SELECT events FROM charge ORDER BY number DESC LIMIT 1")$events
    DBI::dbDisconnect(con)
    charged <- dpadmm:::events_from_json(text)
    alone <- record$events[record$events$node %in% c(1, NA), ]
    expect_equal(sum(charged$count), sum(alone$count))
    expect_equal(unique(charged$sensitivity), most_records * unique(alone$sensitivity))
    expect_identical(unique(charged$per_person), most_records)
  }
})

test_that("a daemon counts the first records of each person, as this process does", {
  skip_unless_mirai()
  got <- in_child({
    profiles <- start_shards()
    folder <- shard_folder()
    data <- shard_data()
    data$A$who <- sprintf("p%02d", (seq_len(nrow(data$A)) * 7) %% 90)
    write.csv(data$A, file.path(folder, "A.csv"), row.names = FALSE)
    of_site <- function(name, ...) {
      list(data = name, schema = shard_schema, epsilon = 20, delta = 1e-5, simulation = TRUE, ...)
    }
    persons <- of_site("A", person = "who", per_person = 2)
    policy <- file.path(folder, "A.dcf")
    do.call(site_policy_file, c(list(policy, source = file.path(folder, "A.csv"),
      ledger = file.path(folder, "A.sqlite")), persons))
    there <- suppressMessages(sites_mirai(profiles = profiles, schema = shard_schema,
      source = list(A = policy, B = file.path(folder, "B.csv")), epsilon = 20, delta = 1e-5,
      simulation = TRUE))
    here <- sites_local(list(A = dpadmm_site(do.call(site_policy, persons), data$A),
      B = dpadmm_site(do.call(site_policy, of_site("B")), data$B)))
    plan <- shard_plan(there, 5)
    records <- quiet_fit(plan, sites_local(shard_data(), shard_schema, epsilon = 20,
      delta = 1e-5, simulation = TRUE), seed = 3)
    list(persons = plan$problem$per_person, there = quiet_fit(plan, there, seed = 3)$coefficients,
      here = quiet_fit(plan, here, seed = 3)$coefficients, records = records$coefficients)
  })
  expect_identical(got$persons, c(2, 1))
  expect_identical(got$there, got$here)
  expect_false(identical(got$there, got$records))
})
