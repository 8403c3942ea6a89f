#!/bin/sh
# MASS 7.3-58.2 (R): boxcox of a weighted regression multiplies the columns by the roots of the weights and not the targets,
# silently: its likelihood is that of no model. For targets that are linear but for rounding, and weights 1 / x^2, it ends at
# the smallest exponent that is asked for, where the weighted likelihood has 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-mass=7.3-58.2-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(MASS)
x <- 1:20
y <- round(5 + sqrt(2) * x, 1)
exponents <- seq(-3, 3, 0.1)
for (degree in 0:2) {
  w <- 1 / x^degree
  told <- boxcox(lm(y ~ x, weights = w), lambda = exponents, plotit = FALSE)
  right <- sapply(exponents, function(power) {
    z <- if (abs(power) < 1e-9) log(y) else (y^power - 1) / power
    -10 * log(deviance(lm(z ~ x, weights = w))) + (power - 1) * sum(log(y))
  })
  cat("weights 1 / x ^", degree, "boxcox", round(told$x[which.max(told$y)], 1), "weighted likelihood",
      round(exponents[which.max(right)], 1), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights 1 / x ^ 0 boxcox 1 weighted likelihood 1 
weights 1 / x ^ 1 boxcox -1 weighted likelihood 1 
weights 1 / x ^ 2 boxcox -3 weighted likelihood 1 
SEEN
echo "as described"
