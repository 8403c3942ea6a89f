#!/bin/sh
# SparseM 1.81 (R): as.matrix.csr leaves out entries whose absolute value is below 2.2e-16, its eps, whatever the scale
# of the others: a column in a small unit becomes 0, silently, and slm, which takes such matrices, has no weight for it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-sparsem=1.81-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(SparseM))
x <- 1e-17 * (1:5)
for (unit in c(1, 1e17)) {
  X <- cbind(1, unit * x)
  cat("column", X[, 2], "in SparseM", as.matrix(as.matrix.csr(X))[, 2], "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
column 1e-17 2e-17 3e-17 4e-17 5e-17 in SparseM 0 0 0 0 0 
column 1 2 3 4 5 in SparseM 1 2 3 4 5 
SEEN
echo "as described"
