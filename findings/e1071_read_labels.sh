#!/bin/sh
# e1071 1.7-13 (R): read.matrix.csr cannot read a file with labels, neither a LIBSVM file nor what its own
# write.matrix.csr has written: it asks vapply for a number where it has the text of one. Without labels it reads.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-e1071=1.7-13-1 r-cran-class=7.3-21-1 r-cran-proxy=0.4-27-1 r-cran-sparsem=1.81-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages({ library(e1071); library(SparseM) })
X <- as.matrix.csr(matrix(c(0, 1, 2, 3), 2))
for (labels in list(NULL, c(1, -1))) {
  write.matrix.csr(X, "rows", y = labels)
  told <- tryCatch(class(read.matrix.csr("rows")), error = function(e) strsplit(conditionMessage(e), "\n")[[1]][1])
  cat(paste(trimws(readLines("rows")), collapse = " | "), "->", told, "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
2:2 | 1:1 2:3 -> matrix.csr 
1 2:2 | -1 1:1 2:3 -> values must be type 'double', 
SEEN
echo "as described"
