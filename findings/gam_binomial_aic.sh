#!/bin/sh
# gam 1.22-1 (R): AIC and logLik of a binomial model of weighted rows, or of groups of several sizes, are not those of its
# fit: those of glm differ, though both have the same weights and deviance. The likelihood of rows of 0 and 1 is minus half of the
# deviance.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-gam=1.22-1-1 r-cran-foreach=1.5.2-1 r-cran-iterators=1.0.14-1 r-cran-codetools=0.2-19-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(gam))
x <- 1:10
y <- c(0, 0, 1, 0, 1, 1, 0, 1, 1, 1)
rows <- data.frame(x, y)
told <- function(name, formula, w) {
  rows$w <- w
  environment(formula) <- environment()
  fits <- list(gam = gam(formula, binomial, rows, weights = w), glm = glm(formula, binomial, rows, weights = w))
  for (fit in names(fits)) {
    m <- fits[[fit]]
    cat(name, fit, "slope", round(coef(m)[2], 3), "deviance", round(deviance(m), 3),
        "log-likelihood", round(as.numeric(logLik(m)), 3), "AIC", round(AIC(m), 3), "\n")
  }
}
told("weights 1", y ~ x, rep(1, 10))
told("weights 1 to 4", y ~ x, c(1, 2, 3, 4, 1, 2, 3, 4, 1, 2))
rows$size <- c(2, 9, 3, 7, 4, 8, 5, 3, 6, 2)
rows$hits <- c(0, 2, 1, 2, 2, 5, 3, 2, 5, 2)
told("groups", cbind(hits, size - hits) ~ x, rep(1, 10))
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights 1 gam slope 0.528 deviance 9.803 log-likelihood -4.901 AIC 13.803 
weights 1 glm slope 0.528 deviance 9.803 log-likelihood -4.901 AIC 13.803 
weights 1 to 4 gam slope 0.429 deviance 25.943 log-likelihood -5.005 AIC 14.011 
weights 1 to 4 glm slope 0.429 deviance 25.943 log-likelihood -12.972 AIC 29.943 
groups gam slope 0.443 deviance 1.719 log-likelihood -2.703 AIC 9.405 
groups glm slope 0.443 deviance 1.719 log-likelihood -9.031 AIC 22.061 
SEEN
echo "as described"
