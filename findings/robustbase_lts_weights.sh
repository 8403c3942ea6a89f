#!/bin/sh
# robustbase 0.95-0 (R): ltsReg takes weights of examples and leaves them out, silently; its help page says "not used
# yet". lmrob and glmrob of the same package have them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-robustbase=0.95-0-1 r-cran-deoptimr=1.0-11-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(robustbase))
x <- sin(1:60)
y <- 3 + x + 2 * sin(7 * (1:60))
weights <- rep(c(1, 9), 30)
for (fit in list(lm, ltsReg)) {
  cat(round(coef(fit(y ~ x)), 3), "with weights", round(coef(fit(y ~ x, weights = weights)), 3), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
3.009 0.887 with weights 2.994 0.906 
3.009 0.887 with weights 3.009 0.887 
SEEN
echo "as described"
