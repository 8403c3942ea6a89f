#!/bin/sh
# e1071 1.7-13 (R): coef of a linear svm gives weights of scaled columns, and of a scaled target for a regression,
# which its help does not say: they do not give what predict gives. With scale = FALSE they do.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-e1071=1.7-13-1 r-cran-class=7.3-21-1 r-cran-proxy=0.4-27-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(e1071))
X <- cbind(sin(1:40), 100 * cos(2 * (1:40)))
y <- 50 + 3 * X[, 1] + X[, 2] / 10 + sin(5 * (1:40))
for (scale in c(TRUE, FALSE)) {
  model <- svm(X, y, kernel = "linear", scale = scale)
  cat("scale =", scale, "coef", round(coef(model), 3), "\n")
  cat(" by coef", round(cbind(1, X[1:3, ]) %*% coef(model), 2), "predict", round(predict(model, X[1:3, ]), 2), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
scale = TRUE coef -0.001 0.297 0.952 
 by coef -39.39 -61.98 91.49 predict 48.38 46.22 59.99 
scale = FALSE coef 49.884 2.806 0.102 
 by coef 48.01 45.79 60.05 predict 48.01 45.79 60.05 
SEEN
echo "as described"
