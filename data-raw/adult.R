# Builds data/adult.rda. Run from the package root: Rscript data-raw/adult.R
#
# The records come from the CRAN package fairmodels, whose `adult` and
# `adult_test` are the two UCI files (adult.data, adult.test) in their original
# order. They differ from UCI in nothing but the names below: "Unknown" stands
# for UCI's "?", and, as in UCI's own test file, the test labels end in a period.

source_dir <- tempfile("fairmodels")
dir.create(source_dir)
archive <- download.packages("fairmodels", source_dir, type = "source",
  repos = "https://cloud.r-project.org", quiet = TRUE
)[1L, 2L]
files <- file.path("fairmodels", "data", c("adult.rda", "adult_test.rda"))
untar(archive, files = files, exdir = source_dir)
raw <- new.env()
for (file in file.path(source_dir, files)) load(file, envir = raw)

# The order of the categories is that of the columns of LIBSVM's a9a.
categories <- list(
  workclass = c(
    "Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov",
    "State-gov", "Without-pay", "Never-worked"
  ),
  education = c(
    "Bachelors", "Some-college", "11th", "HS-grad", "Prof-school", "Assoc-acdm",
    "Assoc-voc", "9th", "7th-8th", "12th", "Masters", "1st-4th", "10th",
    "Doctorate", "5th-6th", "Preschool"
  ),
  marital_status = c(
    "Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed",
    "Married-spouse-absent", "Married-AF-spouse"
  ),
  occupation = c(
    "Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial",
    "Prof-specialty", "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical",
    "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv",
    "Armed-Forces"
  ),
  relationship = c(
    "Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"
  ),
  race = c("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"),
  sex = c("Female", "Male"),
  native_country = c(
    "United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany",
    "Outlying-US(Guam-USVI-etc)", "India", "Japan", "Greece", "South", "China",
    "Cuba", "Iran", "Honduras", "Philippines", "Italy", "Poland", "Jamaica",
    "Vietnam", "Mexico", "Portugal", "Ireland", "France", "Dominican-Republic",
    "Laos", "Ecuador", "Taiwan", "Haiti", "Columbia", "Hungary", "Guatemala",
    "Nicaragua", "Scotland", "Thailand", "Yugoslavia", "El-Salvador",
    "Trinadad&Tobago", "Peru", "Hong", "Holand-Netherlands"
  )
)
attributes <- c(
  "age", "workclass", "fnlwgt", "education", "education_num", "marital_status",
  "occupation", "relationship", "race", "sex", "capital_gain", "capital_loss",
  "hours_per_week", "native_country"
)

#' One file's records with our categories. Stops at a category we do not know.
tidy <- function(records, origin) {
  out <- records[attributes]
  for (name in names(categories)) {
    given <- as.character(records[[name]])
    given[given == "Unknown"] <- NA
    stopifnot(given %in% c(categories[[name]], NA))
    out[[name]] <- factor(given, levels = categories[[name]])
  }
  numbers <- setdiff(attributes, names(categories))
  stopifnot(vapply(out[numbers], is.integer, NA), !anyNA(out[numbers]))
  income <- sub(".", "", as.character(records$salary), fixed = TRUE)
  stopifnot(income %in% c("<=50K", ">50K"))
  out$income <- factor(income, levels = c("<=50K", ">50K"))
  out$origin <- factor(rep(origin, nrow(out)), levels = c("train", "test"))
  out
}

adult <- rbind(tidy(raw$adult, "train"), tidy(raw$adult_test, "test"))
row.names(adult) <- NULL

# These cells equal the UCI files' in every row and column (checked against them
# when this script was written); the digest is of all cells, so it would show if
# a later fairmodels changed any.
text <- tempfile(fileext = ".csv")
con <- file(text, "wb")
write.csv(adult, con, row.names = FALSE, na = "?", eol = "\n")
close(con)
complete <- complete.cases(adult)
stopifnot(
  nrow(adult) == 48842L, sum(adult$origin == "train") == 32561L,
  sum(complete) == 45222L, sum(adult$income[complete] == ">50K") == 11208L,
  unname(tools::md5sum(text)) == "9299d4f3c84a40e5e371457940320d74"
)

save(adult, file = file.path("data", "adult.rda"), version = 2L,
  compress = "xz", compression_level = -9L
)
