#!/bin/sh
# Metrics 0.1.4 (R): f1 compares the sets of values in its arguments, as for retrieved documents: of vectors of
# classes it is 1 as long as both have both classes, whatever the predictions are. fbeta_score is the F1 of
# classes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-metrics=0.1.4-2
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(Metrics)
actual <- c(1, 1, 1, 0, 0, 0)
for (predicted in list(c(1, 1, 1, 0, 0, 0), c(1, 0, 0, 0, 0, 1), c(0, 0, 0, 1, 1, 1))) {
  cat("predicted", predicted, "f1", f1(actual, predicted), "fbeta_score", fbeta_score(actual, predicted), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
predicted 1 1 1 0 0 0 f1 1 fbeta_score 1 
predicted 1 0 0 0 0 1 f1 1 fbeta_score 0.4 
predicted 0 0 0 1 1 1 f1 1 fbeta_score NaN 
SEEN
echo "as described"
