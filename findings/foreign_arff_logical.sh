#!/bin/sh
# foreign 0.8-84 (R): write.arff declares logical columns as numeric and writes TRUE and FALSE, silently: neither
# read.arff nor SciPy nor Weka reads the file.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-foreign=0.8.84-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(foreign)
write.arff(data.frame(x = c(0.5, 1.5), y = c(TRUE, FALSE)), "table.arff")
cat(readLines("table.arff"), sep = "\n")
told <- try(read.arff("table.arff"), silent = TRUE)
cat("read.arff:", attr(told, "condition")$message, "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
@relation data.frame.x...c.0.5..1.5...y...c.TRUE..FALSE..
@attribute x numeric
@attribute y numeric
@data
0.5,TRUE
1.5,FALSE
read.arff: scan() expected 'a real', got 'TRUE' 
SEEN
echo "as described"
