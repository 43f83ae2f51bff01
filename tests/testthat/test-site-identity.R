# Who sites are to each other: keys in files, and public ones in policies.

test_that("an identity is made once, for its owner alone, and tells the same public key", {
  skip_unless_sums()
  file <- tempfile(fileext = ".key")
  first <- site_identity(file)
  expect_match(first, "^[0-9a-f]{64}$")
  expect_identical(site_identity(file), first)
  expect_identical(file.size(file), 32)
  if (.Platform$OS.type == "unix") expect_identical(format(file.mode(file)), "600")
  expect_false(first == site_identity(tempfile()))
  # the key is not the public key
  expect_false(sodium::bin2hex(readBin(file, "raw", 32)) == first)
  # signatures hold for what was signed, by whom, and for nothing else
  signature <- identity_sign(file, charToRaw("hello"))
  expect_true(identity_signed(first, charToRaw("hello"), signature))
  expect_false(identity_signed(first, charToRaw("hallo"), signature))
  expect_false(identity_signed(site_identity(tempfile()), charToRaw("hello"), signature))
  for (bad in list(raw(64), signature[-1], raw(0), NULL, "x")) {
    expect_false(identity_signed(first, charToRaw("hello"), bad))
  }
})

test_that("a file that is no identity is refused by name", {
  skip_unless_sums()
  wrong <- function(file, words) {
    error <- expect_error(site_identity(file), words, class = "dpadmm_error_policy")
    expect_identical(error$argument, "Identity")
    expect_identical(error$place, file)
  }
  short <- tempfile()
  writeBin(raw(31), short)
  Sys.chmod(short, "0600")
  wrong(short, "no key")
  writeBin(raw(33), short)
  wrong(short, "no key")
  wrong(tempdir(), "no such file")
  wrong(file.path(tempfile(), "deep", "a.key"), "cannot be written")
  expect_error(site_identity(NULL), class = "dpadmm_error_argument")
  expect_error(site_identity(c("a", "b")), class = "dpadmm_error_argument")
  skip_on_os("windows")
  file <- tempfile()
  site_identity(file)
  for (mode in c("0640", "0604", "0660")) {
    Sys.chmod(file, mode)
    wrong(file, "its mode must be 0600")
  }
})

test_that("identities and peers go into a policy's file and back", {
  skip_unless_sums()
  known <- known_sites(c("north", "south", "east"))
  path <- tempfile(fileext = ".dcf")
  policy <- site_policy_file(path, data = "icu", site = "north", schema = site_schema, epsilon = 1,
    delta = 1e-6, source = "/srv/a.csv", ledger = "/srv/a.sqlite", identity = known$file[["north"]],
    peers = known$peers)
  expect_identical(site_policy_file(path), policy)
  expect_identical(policy$peers, known$peers)
  lines <- readLines(path)
  bad <- function(from, to, field) {
    writeLines(sub(from, to, lines, fixed = TRUE), path)
    error <- expect_error(site_policy_file(path), class = "dpadmm_error_policy")
    expect_identical(error$argument, field)
    expect_identical(error$place, path)
  }
  bad("  south: ", "  south ", "Peers")
  bad(known$peers[["south"]], substr(known$peers[["south"]], 1, 63), "Peers")
  bad(known$peers[["south"]], known$peers[["east"]], "Peers")
  bad("  south: ", "  east: ", "Peers")
  bad("  south: ", "  so uth: ", "Peers")
  bad("  north: ", "  west: ", "Peers")
  bad(paste("Identity:", known$file[["north"]]), "Renewal: 3", "Identity")
})

test_that("a site whose peers have another key of it is refused when it is made", {
  skip_unless_sums()
  known <- known_sites(c("A", "B", "C"))
  make <- function(...) {
    dpadmm_site(site_policy("A", site_schema, 1, 1e-6, identity = known$file[["A"]], ...),
      site_frames()$A)
  }
  expect_s3_class(make(peers = known$peers), "dpadmm_site")
  expect_s3_class(make(peers = toupper(known$peers)), "dpadmm_site") # hexadecimal digits
  error <- expect_error(make(peers = stats::setNames(known$peers[c(2, 1, 3)], c("A", "B", "C"))),
    class = "dpadmm_error_policy")
  expect_identical(error[c("argument", "place")], list(argument = "Peers", place = "A"))
  for (peers in list(NULL, 1, "x", unname(known$peers), known$peers[-1])) {
    expect_error(make(peers = peers), class = "dpadmm_error_argument")
  }
  expect_blame(site_policy("A", site_schema, 1, peers = known$peers), "argument", "identity")
})
