#!/bin/sh
# ROCR 1.0-11 (R): where precision and recall cross between two cutoffs, as they may where scores tie, the break-
# even point is told as 0: it is the difference of the two that is 0 there. The cutoff is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-rocr=1.0-11-2 r-cran-gplots=3.1.3-1 r-cran-gtools=3.9.4-1 r-cran-catools=1.18.2-1+b1 r-cran-bitops=1.0-7-1 r-cran-kernsmooth=2.23-20-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(ROCR))
labels <- c(0, 1, 0, 1)
for (scores in list(c(0.1, 0.5, 0.4, 0.8), c(0.1, 0.4, 0.4, 0.8))) {
  made <- prediction(scores, labels)
  curve <- performance(made, "prec", "rec")
  cat("scores", scores, "\n precision", curve@y.values[[1]][-1], "recall", curve@x.values[[1]][-1], "\n")
  cat(" break-even", round(performance(made, "prbe")@y.values[[1]], 3), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
scores 0.1 0.5 0.4 0.8 
 precision 1 1 0.6666667 0.5 recall 0.5 1 1 1 
 break-even 1 
scores 0.1 0.4 0.4 0.8 
 precision 1 0.6666667 0.5 recall 0.5 1 1 
 break-even 0 
SEEN
echo "as described"
