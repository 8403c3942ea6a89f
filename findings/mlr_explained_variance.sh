#!/bin/sh
# mlr 2.19.1 (R): its explained variance (expvar) divides the squares of the predictions about the mean of targets
# by those of targets: it is above 1 for predictions that vary too much, and larger is better for it, so that
# tuning takes them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-magrittr=2.0.3-1 r-cran-tidyselect=1.2.0+dfsg-1 r-cran-munsell=0.5.0-2 r-cran-lattice=0.20-45-3 r-cran-colorspace=2.1-0+dfsg-1 r-cran-r6=2.5.1-1 r-cran-rlang=1.0.6-1 r-cran-fastmatch=1.1-3-1+b1 r-cran-fansi=1.0.4-1 r-cran-dplyr=1.0.10-1 r-cran-checkmate=2.1.0-1 r-cran-data.table=1.14.8+dfsg-1 r-cran-gtable=0.3.1+dfsg-1 r-cran-utf8=1.2.3-1 r-cran-cli=3.6.0-1 r-cran-survival=3.5-3-1 r-cran-tibble=3.1.8+dfsg-1 r-cran-lifecycle=1.0.3+dfsg-1 r-cran-matrix=1.5-3-1 r-cran-mlr=2.19.1+dfsg-1 r-cran-ggplot2=3.4.1+dfsg-1 r-cran-vctrs=0.5.2-1 r-cran-glue=1.6.2-1 r-cran-parallelmap=1.5.1-1 r-cran-stringi=1.7.12-1 r-cran-pillar=1.8.1+dfsg-1 r-cran-bbmisc=1.13-1 r-cran-paramhelpers=1.14.1-1 r-cran-generics=0.1.3-1 r-cran-scales=1.2.1-1 r-cran-backports=1.4.1-1 
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages(library(mlr))
truth <- c(1, 2, 3)
for (predicted in list(c(1, 2, 3), c(1, 2, 4), c(10, 20, 30), c(3, 2, 1))) {
  cat("predicted", predicted, "expvar", measureEXPVAR(truth, predicted), "rsq", measureRSQ(truth, predicted), "\n")
}
cat("minimized:", expvar$minimize, "\n")
PROGRAM
diff "$folder/seen" - <<'SEEN'
predicted 1 2 3 expvar 1 rsq 1 
predicted 1 2 4 expvar 2.5 rsq 0.5 
predicted 10 20 30 expvar 586 rsq -566 
predicted 3 2 1 expvar 1 rsq -3 
minimized: FALSE 
SEEN
echo "as described"
