#!/bin/sh
# Matrix 1.5-3 (R): writeMM writes missing and infinite values, and those above 1e308, as 1e308, silently, and readMM
# reads these numbers. Its documentation does not say so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-matrix=1.5-3-1 r-cran-lattice=0.20-45-3
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(Matrix))
M <- sparseMatrix(i = 1:4, j = c(1, 2, 1, 2), x = c(NA, Inf, -Inf, 2))
writeMM(M, "matrix.mtx")
cat(readLines("matrix.mtx"), sep = "\n")
cat("before", M@x, "after", readMM("matrix.mtx")@x, "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
NULL
%%MatrixMarket matrix coordinate real general
4 2 4
1 1 1e308
3 1 -1e308
2 2 1e308
4 2 2
before NA -Inf Inf 2 after 1e+308 -1e+308 1e+308 2 
SEEN
echo "as described"
