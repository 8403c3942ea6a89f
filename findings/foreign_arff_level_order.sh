#!/bin/sh
# foreign 0.8-84 (R): read.arff puts the values of a nominal attribute in the order of the alphabet, not of the
# file, so that a glm is of the other class than the file's second, and takes values that are not declared,
# silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-foreign=0.8.84-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(foreign)
for (values in c("no,done", "done,no")) {
  rows <- c("1,no", "2,done", "3,no", "4,yes")
  writeLines(c("@relation r", "@attribute x numeric", paste0("@attribute class {", values, "}"), "@data", rows), "table.arff")
  cat("declared", values, "levels", levels(read.arff("table.arff")$class), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
declared no,done levels done no yes 
declared done,no levels done no yes 
SEEN
echo "as described"
