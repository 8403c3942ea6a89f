#!/bin/sh
# ModelMetrics 1.2.2.2 (R): logLoss(distribution = "poisson") clips predicted means to [1e-15, 1 - 1e-15] as if they were
# probabilities: all means above 1 count as 1, and every model of larger counts has the same loss.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-modelmetrics=1.2.2.2-1+b1 r-cran-rcpp=1.0.10-1 r-cran-data.table=1.14.8+dfsg-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(ModelMetrics, warn.conflicts = FALSE)
y <- c(3, 5, 2, 8, 4)
for (mean in list(y, rep(4.4, 5), rep(100, 5), y / 10)) {
  told <- logLoss(y, mean, distribution = "poisson")
  cat("means", mean, "ModelMetrics", round(told, 4), "dpois", round(-mean(dpois(y, mean, log = TRUE)), 4), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
means 3 5 2 8 4 ModelMetrics 5.211 dpois 1.629 
means 4.4 4.4 4.4 4.4 4.4 ModelMetrics 5.211 dpois 2.092 
means 100 100 100 100 100 ModelMetrics 5.211 dpois 83.9483 
means 0.3 0.5 0.2 0.8 0.4 ModelMetrics 7.8004 dpois 7.8004 
SEEN
echo "as described"
