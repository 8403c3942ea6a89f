#!/bin/sh
# SparseM 1.81 (R): of several values at one place, as they come from counting, as.matrix keeps the last, while products
# of the same matrix have their sum.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-sparsem=1.81-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(SparseM))
counts <- new("matrix.coo", ra = c(1, 2, 3), ia = c(1L, 1L, 2L), ja = c(1L, 1L, 2L), dimension = c(2L, 2L))
rows <- as.matrix.csr(counts)
cat("as.matrix", as.matrix(counts), "and", as.matrix(rows), "\n")
cat("product with the unit matrix", as.matrix(rows %*% as.matrix.csr(diag(2))), "with ones", rows %*% c(1, 1), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
as.matrix 2 0 0 3 and 2 0 0 3 
product with the unit matrix 3 0 0 3 with ones 3 3 
SEEN
echo "as described"
