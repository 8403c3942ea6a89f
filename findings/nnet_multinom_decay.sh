#!/bin/sh
# nnet 7.3-18 (R): the decay of multinom, documented for nnet as a weight decay, is a penalty on the intercepts
# too: with much of it the probabilities go to a half, not to the shares of the classes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-nnet=7.3-18-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
library(nnet)
x <- sin(1:60)
y <- factor(rep(c("a", "b", "b", "b", "b", "b"), 10))
for (decay in c(0, 1, 100, 10000)) {
  model <- multinom(y ~ x, decay = decay, trace = FALSE)
  cat("decay", decay, "weights", round(coef(model), 3), "mean probability of b", round(mean(fitted(model)), 3), "\n")
}
cat("share of b", round(mean(y == "b"), 3), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
decay 0 weights 1.642 0.532 mean probability of b 0.833 
decay 1 weights 1.326 0.322 mean probability of b 0.789 
decay 100 weights 0.093 0.013 mean probability of b 0.523 
decay 10000 weights 0.001 0 mean probability of b 0.5 
share of b 0.833 
SEEN
echo "as described"
