#!/bin/sh
# glmnet 4.1-6 (R): family = "gaussian" and family = gaussian() are two problems unless alpha is 1, silently. The
# first divides the targets by their standard deviation and multiplies weights after the fit, so that its ridge part
# is lambda over that deviation; the second is the problem of the help page. lambda of the one is too large or small
# for the other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-glmnet=4.1-6-1 r-cran-matrix=1.5-3-1 r-cran-lattice=0.20-45-3 r-cran-survival=3.5-3-1 r-cran-foreach=1.5.2-1 r-cran-iterators=1.0.14-1 r-cran-shape=1.4.6-1 r-cran-codetools=0.2-19-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(glmnet))
x <- cbind(sin(1:80), cos(2 * (1:80)))
y <- 10 * (x[, 1] - x[, 2] + sin(7 * (1:80)) / 2)
centred <- scale(x, scale = FALSE)
ridge <- function(lambda) as.numeric(solve(crossprod(centred) + 80 * lambda * diag(2), crossprod(centred, y)))
for (alpha in c(1, 0)) {
  weights <- function(family) {
    fit <- glmnet(x, y, family = family, alpha = alpha, lambda = 0.5, standardize = FALSE, thresh = 1e-14)
    round(as.numeric(coef(fit))[-1], 3)
  }
  cat("alpha", alpha, "\"gaussian\"", weights("gaussian"), "gaussian()", weights(gaussian()), "\n")
}
deviation <- sqrt(mean((y - mean(y))^2))
cat("ridge regression: lambda", round(ridge(0.5), 3), "lambda over the deviation", round(ridge(0.5 / deviation), 3), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
alpha 1 "gaussian" 8.854 -9.094 gaussian() 8.854 -9.094 
alpha 0 "gaussian" 9.003 -9.224 gaussian() 4.949 -5.048 
ridge regression: lambda 4.949 -5.048 lambda over the deviation 9.003 -9.224 
SEEN
echo "as described"
