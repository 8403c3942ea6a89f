#!/bin/sh
# conquer 1.3.2 (R): the default bandwidth of its smoothed quantile regression does not depend on the unit of y:
# the 0.9 quantile of the same targets in hundredths lies far above all of them, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-conquer=1.3.2-1 r-cran-matrix=1.5-3-1 r-cran-lattice=0.20-45-3 r-cran-rcpp=1.0.10-1 r-cran-matrixstats=0.63.0-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(conquer))
X <- cbind(sin(1:60), cos(3 * (1:60)))
y <- 2 * X[, 1] + sin(7 * (1:60))
for (unit in c(10, 1, 0.1, 0.01)) {
  model <- conquer(X, unit * y, tau = 0.9)
  share <- mean(unit * y <= cbind(1, X) %*% model$coeff)
  cat("unit", unit, "bandwidth", round(model$bandwidth, 3), "share below", round(share, 2))
  cat(" intercept over unit", round(model$coeff[1] / unit, 1), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
unit 10 bandwidth 0.401 share below 0.88 intercept over unit 0.9 
unit 1 bandwidth 0.401 share below 1 intercept over unit 1.1 
unit 0.1 bandwidth 0.401 share below 1 intercept over unit 5.2 
unit 0.01 bandwidth 0.401 share below 1 intercept over unit 51.4 
SEEN
echo "as described"
