#!/bin/sh
# kernlab 0.9-32 (R): the training error of a support vector regression is that of scaled targets, and its error
# of cross-validation that of the targets as they are: the one does not change with the unit of y, the other does,
# and their comparison tells nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-kernlab=0.9-32-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(kernlab))
X <- cbind(sin(1:60), cos(3 * (1:60)))
y <- 2 * X[, 1] + sin(7 * (1:60))
for (unit in c(1, 10)) {
  set.seed(1)
  model <- ksvm(X, unit * y, kernel = "vanilladot", kpar = list(), cross = 5)
  right <- mean((predict(model, X) - unit * y)^2)
  cat("unit", unit, "error", round(error(model), 3), "cross", round(cross(model), 3), "squared error", round(right, 3), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
unit 1 error 0.213 cross 0.733 squared error 0.518 
unit 10 error 0.213 cross 73.259 squared error 51.818 
SEEN
echo "as described"
