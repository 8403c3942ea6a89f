#!/bin/sh
# MLmetrics 1.1.1 (R): MultiLogLoss of a factor takes its labels as strings and sorts them, and does not look at the names
# of the columns of probabilities, that stand in the order of the levels: other classes are compared. ModelMetrics
# takes the order of the levels.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-mlmetrics=1.1.1-3 r-cran-rocr=1.0-11-2 r-cran-gplots=3.1.3-1 r-cran-gtools=3.9.4-1 r-cran-catools=1.18.2-1+b1 r-cran-bitops=1.0-7-1 r-cran-kernsmooth=2.23-20-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(MLmetrics, warn.conflicts = FALSE)
for (levels in list(c("a", "b", "c"), c("low", "mid", "high"), c("2", "3", "10"))) {
  y <- factor(levels[c(1, 2, 3, 1)], levels = levels)
  P <- rbind(c(0.8, 0.1, 0.1), c(0.1, 0.8, 0.1), c(0.1, 0.1, 0.8), c(0.6, 0.3, 0.1))
  colnames(P) <- levels
  right <- -mean(log(P[cbind(1:4, as.integer(y))]))
  cat(levels, "MLmetrics", round(MultiLogLoss(P, y), 4), "by hand", round(right, 4), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
a b c MLmetrics 0.2951 by hand 0.2951 
low mid high MLmetrics 2.0279 by hand 0.2951 
2 3 10 MLmetrics 2.0279 by hand 0.2951 
SEEN
echo "as described"
