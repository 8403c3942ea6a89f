#!/bin/sh
# MASS 7.3-58.2 (R): lm.ridge takes weights of examples and leaves them out, silently, where lm of the same call
# has them: with lambda = 0 both should be one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-mass=7.3-58.2-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(MASS)
X <- cbind(sin(1:20), cos(2 * (1:20)))
y <- X[, 1] + cos(3 * (1:20))
weights <- rep(c(1, 10), 10)
cat("lm", round(coef(lm(y ~ X)), 3), "with weights", round(coef(lm(y ~ X, weights = weights)), 3), "\n")
cat("lm.ridge", round(coef(lm.ridge(y ~ X, lambda = 0)), 3))
cat(" with weights", round(coef(lm.ridge(y ~ X, lambda = 0, weights = weights)), 3), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
lm -0.045 0.926 0.034 with weights -0.001 0.984 -0.003 
lm.ridge -0.045 0.926 0.034 with weights -0.045 0.926 0.034 
SEEN
echo "as described"
