# The sentence under the README's example: forty fits of the plan that stands there, their test
# error, that without privacy, and that of the larger class. Rscript bench/readme.R
library(dpadmm)
lines <- readLines("README.md")
starts <- grep("^```r$", lines)
ends <- grep("^```$", lines)
blocks <- lapply(starts, function(from) lines[(from + 1L):(min(ends[ends > from]) - 1L)])
example <- Filter(function(block) any(grepl("dpadmm_plan(", block, fixed = TRUE)), blocks)[[1L]]
grDevices::pdf(NULL)
eval(parse(text = example))

test <- subset(adult, origin == "test")
error <- function(fit) evaluate(fit, test)$error
private <- replicate(40, error(dpadmm_fit(plan, train)))
open <- error(dpadmm_fit(income ~ age + education_num + hours_per_week + sex, train,
  nodes = 5, schema = public, epsilon = Inf
))
cat(sprintf("%s: %.3f\n", c("least", "mean", "most", "without privacy", "always \"<=50K\""),
  c(min(private), mean(private), max(private), open, mean(test$income == ">50K"))), sep = "")
