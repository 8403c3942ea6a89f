#!/bin/sh
# pls 2.8-1 (R): plsr and pcr take weights of examples and leave them out, silently, as they take any argument that they
# do not know. With all components the fit is least squares without weights.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-pls=2.8-1-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(pls))
X <- cbind(a = sin(1:60), b = cos(2 * (1:60)))
y <- 3 + X[, 1] + 2 * sin(7 * (1:60))
weights <- rep(c(1, 9), 30)
for (fit in list(lm, plsr, pcr)) {
  told <- function(...) {
    model <- fit(y ~ X, ...)
    round(if (inherits(model, "lm")) coef(model)[-1] else coef(model)[, 1, 1], 3)
  }
  cat(told(), "with weights", told(weights = weights), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
0.885 -0.049 with weights 0.893 -0.076 
0.885 -0.049 with weights 0.885 -0.049 
0.885 -0.049 with weights 0.885 -0.049 
SEEN
echo "as described"
