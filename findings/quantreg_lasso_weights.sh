#!/bin/sh
# quantreg 5.94 (R): rq with method = "lasso" or "scad" leaves the weights of examples out, silently; its methods
# without a penalty have them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-quantreg=5.94-1 r-cran-sparsem=1.81-1 r-cran-matrix=1.5-3-1 r-cran-lattice=0.20-45-3 r-cran-matrixmodels=0.5-1-1 r-cran-mass=7.3-58.2-1 r-cran-survival=3.5-3-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(quantreg))
x <- sin(1:60)
y <- 3 + x + 2 * sin(7 * (1:60))
weights <- rep(c(1, 9), 30)
for (method in c("br", "fn", "lasso", "scad")) {
  choices <- if (method %in% c("lasso", "scad")) list(lambda = 0.1) else list()
  fit <- function(...) round(coef(do.call(rq, c(list(y ~ x, method = method), choices, list(...)))), 3)
  cat(method, fit(), "with weights", fit(weights = weights), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
br 3.086 0.722 with weights 2.949 0.216 
fn 3.086 0.722 with weights 2.949 0.216 
lasso 3.086 0.722 with weights 3.086 0.722 
scad 3.063 1.354 with weights 3.063 1.354 
SEEN
echo "as described"
