#!/bin/sh
# spam 2.9-1 (R): means of rows and columns of a sparse matrix are those of the entries that are stored, by
# default, so that centring with them is wrong; sums are right, and options(spam.structurebased = FALSE) gives
# means of all.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-spam=2.9-1-1 r-cran-dotcall64=1.0-2-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(spam))
M <- matrix(c(1, 0, 3, 4, 0, 0, 0, 8), 4)
for (choice in c(TRUE, FALSE)) {
  if (!choice) options(spam.structurebased = FALSE)
  cat("columns", colMeans(as.spam(M)), "rows", rowMeans(as.spam(M)), "sums", colSums(as.spam(M)), "\n")
}
cat("dense: columns", colMeans(M), "rows", rowMeans(M), "sums", colSums(M), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
columns 2.666667 8 rows 1 0 3 6 sums 8 8 
columns 2 2 rows 0.5 0 1.5 6 sums 8 8 
dense: columns 2 2 rows 0.5 0 1.5 6 sums 8 8 
SEEN
echo "as described"
