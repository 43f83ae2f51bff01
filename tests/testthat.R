library(testthat)
library(dpadmm)

test_check("dpadmm")
