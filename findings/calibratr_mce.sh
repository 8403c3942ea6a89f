#!/bin/sh
# CalibratR 0.1.2 (R): getMCE, the maximum calibration error, multiplies the error of every bin by its share of the
# rows before it takes the maximum: with ten bins it is a tenth of the largest error, below the expected calibration
# error of getECE, which it should bound from above.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-calibratr=0.1.2-2 r-cran-cli=3.6.0-1 r-cran-codetools=0.2-19-1 r-cran-colorspace=2.1-0+dfsg-1 r-cran-doparallel=1.0.17-1 r-cran-fansi=1.0.4-1 r-cran-farver=2.1.1-1 r-cran-fitdistrplus=1.1-8-1 r-cran-foreach=1.5.2-1 r-cran-ggplot2=3.4.1+dfsg-1 r-cran-glue=1.6.2-1 r-cran-gtable=0.3.1+dfsg-1 r-cran-isoband=0.2.7-1 r-cran-iterators=1.0.14-1 r-cran-labeling=0.4.2-1 r-cran-lattice=0.20-45-3 r-cran-lifecycle=1.0.3+dfsg-1 r-cran-littler=0.3.17-1 r-cran-magrittr=2.0.3-1 r-cran-mass=7.3-58.2-1 r-cran-matrix=1.5-3-1 r-cran-mgcv=1.8-41-1 r-cran-munsell=0.5.0-2 r-cran-nlme=3.1.162-1 r-cran-pillar=1.8.1+dfsg-1 r-cran-pkgconfig=2.0.3-2 r-cran-pkgkitten=0.2.2-2 r-cran-plyr=1.8.8-1 r-cran-proc=1.18.0-1+b1 r-cran-r6=2.5.1-1 r-cran-rcolorbrewer=1.1-3-1 r-cran-rcpp=1.0.10-1 r-cran-reshape2=1.4.4-2 r-cran-rlang=1.0.6-1 r-cran-scales=1.2.1-1 r-cran-stringi=1.7.12-1 r-cran-stringr=1.5.0-1 r-cran-survival=3.5-3-1 r-cran-tibble=3.1.8+dfsg-1 r-cran-utf8=1.2.3-1 r-cran-vctrs=0.5.2-1 r-cran-viridislite=0.4.1-1 r-cran-withr=2.5.0-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(CalibratR))
predicted <- (1:1000 - 0.5) / 1000
actual <- as.integer((1:1000 * 7) %% 1000 < 1000 * predicted^2)
bins <- cut(predicted, 0:10 / 10)
errors <- abs(tapply(actual - predicted, bins, mean))
cat("errors of bins", round(errors, 3), "\n")
cat("mean", round(mean(errors), 4), "getECE", round(getECE(actual, predicted), 4), "\n")
cat("largest", round(max(errors), 4), "getMCE", round(getMCE(actual, predicted), 4), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
errors of bins 0.05 0.12 0.12 0.35 0.15 0.26 0.38 0.11 0.35 0.05 
mean 0.194 getECE 0.194 
largest 0.38 getMCE 0.038 
SEEN
echo "as described"
