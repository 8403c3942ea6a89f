#!/bin/sh
# performance 0.10.2 (R): performance_score of a logistic regression takes the number of rows for the size of each binomial
# draw: its logarithmic score, the mean of log probabilities, is far too low, and falls as rows are repeated. That of
# performance_logloss is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-performance=0.10.2-1 r-cran-insight=0.19.0+dfsg-1 r-cran-bayestestr=0.13.0-1 r-cran-datawizard=0.6.5+dfsg-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(performance))
for (times in c(1, 10)) {
  x <- rep(1:10, times)
  y <- rep(c(0, 0, 1, 0, 1, 1, 0, 1, 1, 1), times)
  model <- glm(y ~ x, family = binomial)
  right <- mean(dbinom(y, 1, fitted(model), log = TRUE))
  told <- performance_score(model)$logarithmic
  cat(length(y), "rows: performance_score", round(told, 3), "mean of log probabilities", round(right, 3),
      "performance_logloss", round(as.numeric(performance_logloss(model)), 3), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
10 rows: performance_score -5.816 mean of log probabilities -0.49 performance_logloss 0.49 
100 rows: performance_score -73.565 mean of log probabilities -0.49 performance_logloss 0.49 
SEEN
echo "as described"
