# Records of unequal norms for the tests of private ADMM for consensus.
unequal_records <- function(n = 12, d = 5, seed = 1) {
  data <- sim_lasso(n = n, p = d, support = 2, seed = seed)
  data$x <- data$x * seq(0.4, 1, length.out = n) # unequal norms
  data$sign <- ifelse(seq_len(n) %% 3 == 0, -1, 1)
  data
}
