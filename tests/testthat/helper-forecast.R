# Normal numbers that depend on the seed alone; R's generator is left as it was.
seeded_normals <- function(n, seed) dpadmm:::with_r_seed(seed, stats::rnorm(n))
