#!/bin/sh
# glmnet 4.1-6 (R): the mse and mae of assess.glmnet, and those by which cv.glmnet chooses, are sums over both classes
# for two classes: twice the Brier score and twice the mean absolute error of the probabilities. Its help page
# does not say so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-glmnet=4.1-6-1 r-cran-matrix=1.5-3-1 r-cran-lattice=0.20-45-3 r-cran-survival=3.5-3-1 r-cran-foreach=1.5.2-1 r-cran-iterators=1.0.14-1 r-cran-shape=1.4.6-1 r-cran-codetools=0.2-19-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(glmnet))
x <- cbind(sin(1:80), cos(2 * (1:80)))
y <- as.integer(x[, 1] + sin(7 * (1:80)) > 0)
fit <- glmnet(x, y, family = "binomial", lambda = 0.01)
p <- predict(fit, x, type = "response")
told <- assess.glmnet(fit, newx = x, newy = y)
cat("assess.glmnet mse", round(told$mse, 4), "mae", round(told$mae, 4), "\n")
cat("of probabilities  ", round(mean((y - p)^2), 4), "   ", round(mean(abs(y - p)), 4), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
assess.glmnet mse 0.3321 mae 0.6683 
of probabilities   0.1661     0.3341 
SEEN
echo "as described"
