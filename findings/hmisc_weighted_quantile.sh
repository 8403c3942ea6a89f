#!/bin/sh
# Hmisc 4.8-0 (R): the weighted quantiles of wtd.quantile take weights for numbers of rows: for weights that sum to 1
# all of them are the largest value, the median too, silently. normwt = TRUE helps.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-acepack=1.4.1-2+b5 r-cran-backports=1.4.1-1 r-cran-base64enc=0.1-3-3 r-cran-bslib=0.4.2+dfsg-1 r-cran-cachem=1.0.7-1 r-cran-checkmate=2.1.0-1 r-cran-chron=2.3-59-1 r-cran-cli=3.6.0-1 r-cran-cluster=2.1.4-1 r-cran-colorspace=2.1-0+dfsg-1 r-cran-commonmark=1.8.1-1 r-cran-cpp11=0.4.3-1 r-cran-crayon=1.5.2-1 r-cran-data.table=1.14.8+dfsg-1 r-cran-deldir=1.0-6-1+b1 r-cran-digest=0.6.31-1 r-cran-dplyr=1.0.10-1 r-cran-ellipsis=0.3.2-2 r-cran-evaluate=0.20-1 r-cran-fansi=1.0.4-1 r-cran-farver=2.1.1-1 r-cran-fastmap=1.1.1-1 r-cran-fontawesome=0.5.0-1 r-cran-foreign=0.8.84-1 r-cran-formula=1.2-4-1 r-cran-fs=1.6.1+dfsg-1 r-cran-generics=0.1.3-1 r-cran-ggplot2=3.4.1+dfsg-1 r-cran-glue=1.6.2-1 r-cran-gridextra=2.3-3 r-cran-gtable=0.3.1+dfsg-1 r-cran-highr=0.10+dfsg-1 r-cran-hmisc=4.8-0-1 r-cran-htmltable=2.4.1-1 r-cran-htmltools=0.5.4-1 r-cran-htmlwidgets=1.6.1+dfsg-1 r-cran-httpuv=1.6.9+dfsg-1 r-cran-interp=1.1-3-1 r-cran-isoband=0.2.7-1 r-cran-jpeg=0.1-10-1 r-cran-jquerylib=0.1.4+dfsg-4 r-cran-jsonlite=1.8.4+dfsg-1 r-cran-knitr=1.42+dfsg-1 r-cran-labeling=0.4.2-1 r-cran-later=1.3.0+dfsg-1+b1 r-cran-lattice=0.20-45-3 r-cran-latticeextra=0.6-30-1 r-cran-lifecycle=1.0.3+dfsg-1 r-cran-littler=0.3.17-1 r-cran-magrittr=2.0.3-1 r-cran-mass=7.3-58.2-1 r-cran-matrix=1.5-3-1 r-cran-memoise=2.0.1-1 r-cran-mgcv=1.8-41-1 r-cran-mime=0.12-1+b1 r-cran-munsell=0.5.0-2 r-cran-nlme=3.1.162-1 r-cran-nnet=7.3-18-1 r-cran-pillar=1.8.1+dfsg-1 r-cran-pkgconfig=2.0.3-2 r-cran-pkgkitten=0.2.2-2 r-cran-png=0.1-8-1 r-cran-promises=1.2.0.1+dfsg-1 r-cran-purrr=1.0.1-1 r-cran-r6=2.5.1-1 r-cran-rappdirs=0.3.3-1 r-cran-rcolorbrewer=1.1-3-1 r-cran-rcpp=1.0.10-1 r-cran-rcppeigen=0.3.3.9.3-1 r-cran-rlang=1.0.6-1 r-cran-rmarkdown=2.20+dfsg-1 r-cran-rpart=4.1.19-1 r-cran-rstudioapi=0.14-1 r-cran-sass=0.4.5+dfsg-1 r-cran-scales=1.2.1-1 r-cran-shiny=1.7.4+dfsg-2+deb12u1 r-cran-sourcetools=0.1.7-1-1 r-cran-stringi=1.7.12-1 r-cran-stringr=1.5.0-1 r-cran-survival=3.5-3-1 r-cran-tibble=3.1.8+dfsg-1 r-cran-tidyr=1.3.0-1 r-cran-tidyselect=1.2.0+dfsg-1 r-cran-tinytex=0.44-1 r-cran-utf8=1.2.3-1 r-cran-vctrs=0.5.2-1 r-cran-viridis=0.6.2-1 r-cran-viridislite=0.4.1-1 r-cran-withr=2.5.0-1 r-cran-xfun=0.37+dfsg-1 r-cran-yaml=2.3.7-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(Hmisc))
x <- c(1, 2, 3, 4, 100)
weights <- c(3, 2, 2, 2, 1)
for (scale in c(1, 1 / 10)) {
  told <- wtd.quantile(x, weights * scale, probs = c(0.1, 0.5, 0.9))
  cat("sum of weights", sum(weights * scale), "quantiles", told, "\n")
}
cat("normwt", wtd.quantile(x, weights / 10, probs = c(0.1, 0.5, 0.9), normwt = TRUE), "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
sum of weights 10 quantiles 1 2.5 13.6 
sum of weights 1 quantiles 100 100 100 
normwt 1.4 3 61.6 
SEEN
echo "as described"
