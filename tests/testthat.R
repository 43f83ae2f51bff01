# CRAN's machines have two minutes: slow files and blocks say skip_on_cran(), and run wherever
# NOT_CRAN is set (tools/test does); tools/check --without-suggests takes the time.
library(testthat)
library(dpadmm)

test_check("dpadmm")
