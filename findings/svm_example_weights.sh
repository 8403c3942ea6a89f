#!/bin/sh
# e1071 1.7-13 and kernlab 0.9-32 (R): svm and ksvm take weights = of examples, as glm does, and leave them out,
# silently, as they take any argument that they do not know. They have class.weights alone.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download r-cran-e1071=1.7-13-1 r-cran-class=7.3-21-1 r-cran-proxy=0.4-27-1 r-cran-kernlab=0.9-32-1
for archive in *.deb; do dpkg -x "$archive" .; done
R_LIBS="$folder/usr/lib/R/site-library:$folder/usr/lib/R/library" Rscript --vanilla - >"$folder/seen" <<'PROGRAM'
suppressMessages({ library(e1071); library(kernlab) })
rows <- data.frame(a = sin(1:40), b = cos(2 * (1:40)))
rows$y <- factor(ifelse(rows$a + sin(7 * (1:40)) > 0, "yes", "no"))
weights <- ifelse(rows$y == "yes", 100, 1)
fits <- list(
  glm = function(...) suppressWarnings(predict(glm(y ~ a + b, binomial, rows, ...))) > 0,
  svm = function(...) predict(svm(y ~ a + b, rows, kernel = "linear", ...), rows) == "yes",
  ksvm = function(...) predict(ksvm(y ~ a + b, rows, kernel = "vanilladot", kpar = list(), ...), rows) == "yes"
)
for (name in names(fits)) {
  cat(name, "says yes of", sum(fits[[name]]()), "with weights of 100 for yes", sum(fits[[name]](weights = weights)), "\n")
}
PROGRAM
diff "$folder/seen" - <<'SEEN'
glm says yes of 21 with weights of 100 for yes 40 
svm says yes of 21 with weights of 100 for yes 21 
ksvm says yes of 21 with weights of 100 for yes 21 
SEEN
echo "as described"
