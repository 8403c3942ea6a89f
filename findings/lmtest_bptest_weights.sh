#!/bin/sh
# lmtest 0.9-40 (R): bptest of a weighted regression, the Breusch-Pagan test, changes where all weights are multiplied by 2, and
# rejects data whose variances are one over the weights, as the model says, in almost every sample at the level 0.05. Its
# statistic may be above the number of rows, the most that it can be without weights.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-lmtest=0.9.40-1 r-cran-zoo=1.8-11-1 r-cran-lattice=0.20-45-3
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(lmtest))
x <- 1:12
y <- c(1, 3, 2, 5, 4, 7, 6, 9, 8, 10, 12, 11)
for (weight in c(1, 2, 10)) {
  test <- bptest(lm(y ~ x, weights = rep(weight, 12)))
  cat("all weights", weight, "statistic", round(test$statistic, 3), "p-value", round(test$p.value, 4), "\n")
}
set.seed(1)
for (largest in c(1, 4)) {
  rejected <- replicate(200, {
    x <- rnorm(40)
    w <- sample(largest, 40, replace = TRUE)
    y <- 1 + x + rnorm(40) / sqrt(w)
    bptest(lm(y ~ x, weights = w))$p.value < 0.05
  })
  cat("weights up to", largest, "share of true models rejected", round(mean(rejected), 1), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
all weights 1 statistic 0.147 p-value 0.7012 
all weights 2 statistic 19.332 p-value 0 
all weights 10 statistic 119.642 p-value 0 
weights up to 1 share of true models rejected 0 
weights up to 4 share of true models rejected 1 
SEEN
echo "as described"
