#!/bin/sh
# Matrix 1.5-3 (R): readMM reads a Matrix Market file without values as a pattern, and products of patterns are
# patterns: crossprod and %*% say that entries are not 0, where X'X counts. As numbers they are all 1. Sums and
# products with a vector of numbers do count.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-matrix=1.5-3-1 r-cran-lattice=0.20-45-3
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(Matrix))
header <- "%%MatrixMarket matrix coordinate pattern general"
writeLines(c(header, "3 2 5", "1 1", "2 1", "3 1", "1 2", "2 2"), "x.mtx")
X <- readMM("x.mtx")
cat("crossprod", class(crossprod(X)), as.numeric(crossprod(X)), "\n")
cat("t(X) %*% X", class(t(X) %*% X), as.numeric(t(X) %*% X), "\n")
cat("of numbers", as.numeric(crossprod(as(X, "dMatrix"))), "\n")
cat("X %*% numbers", as.numeric(X %*% c(1, 1)), "sums", colSums(X), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
crossprod nsCMatrix 1 1 1 1 
t(X) %*% X ngCMatrix 1 1 1 1 
of numbers 3 2 2 2 
X %*% numbers 2 2 1 sums 3 2 
SEEN
echo "as described"
