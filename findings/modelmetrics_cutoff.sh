#!/bin/sh
# ModelMetrics 1.2.2.2 (R): a prediction equal to the cutoff is negative for confusionMatrix, precision and recall, and
# no true negative for tnr, specificity, mcc and kappa: the same cutoff has two matrices. Their documentation has
# tnr as TN / (TN + FP), and nothing of ties.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-modelmetrics=1.2.2.2-1+b1 r-cran-rcpp=1.0.10-1 r-cran-data.table=1.14.8+dfsg-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(ModelMetrics, warn.conflicts = FALSE)
y <- c(0, 0, 0, 0, 0, 1, 1, 1, 1, 1)
p <- c(0.1, 0.2, 0.5, 0.5, 0.8, 0.3, 0.5, 0.7, 0.8, 0.9)
for (cutoff in c(0.4, 0.5)) {
  m <- confusionMatrix(y, p, cutoff)
  told <- c(tnr(y, p, cutoff), mcc(y, p, cutoff), kappa(y, p, cutoff))
  expected <- sum(rowSums(m) * colSums(m)) / 100
  right <- c(m[1, 1] / sum(m[, 1]), cor(y, p > cutoff), (sum(diag(m)) / 10 - expected) / (1 - expected))
  cat("cutoff", cutoff, "matrix", m, "\n")
  cat("  tnr, mcc, kappa ", format(told, digits = 2), "\n")
  cat("  from the matrix ", format(right, digits = 2), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
cutoff 0.4 matrix 2 3 1 4 
  tnr, mcc, kappa  0.40 0.22 0.20 
  from the matrix  0.40 0.22 0.20 
cutoff 0.5 matrix 4 1 2 3 
  tnr, mcc, kappa  0.40 0.22 0.20 
  from the matrix  0.80 0.41 0.40 
SEEN
echo "as described"
