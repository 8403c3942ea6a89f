#!/bin/sh
# e1071 1.7-13 (R): svm scales the columns of dense matrices, as documented for x in general, and not those of sparse
# ones, silently, even with scale = TRUE: the same numbers give two models. With scale = FALSE both agree.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-e1071=1.7-13-1 r-cran-class=7.3-21-1 r-cran-proxy=0.4-27-1 r-cran-sparsem=1.81-1 r-cran-matrix=1.5-3-1 r-cran-lattice=0.20-45-3
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages({
  library(e1071)
  library(Matrix)
})
n <- 40
X <- cbind(sin(1:n), 100 * cos(2 * (1:n)))
y <- factor(ifelse(X[, 1] + X[, 2] / 200 + sin(5 * (1:n)) / 2 > 0, "p", "n"))
for (scale in c(TRUE, FALSE)) {
  for (form in c("dense", "sparse")) {
    A <- if (form == "sparse") as(X, "dgCMatrix") else X
    model <- svm(A, y, kernel = "linear", scale = scale, tolerance = 1e-6)
    cat("scale =", scale, form, "first decision values", round(model$decision.values[1:3], 3), "\n")
  }
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
scale = TRUE dense first decision values 1.265 1.167 0.982 
scale = TRUE sparse first decision values 1.209 1.132 0.986 
scale = FALSE dense first decision values 1.209 1.132 0.986 
scale = FALSE sparse first decision values 1.209 1.132 0.986 
SEEN
echo "as described"
