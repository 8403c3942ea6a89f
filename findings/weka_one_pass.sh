#!/bin/sh
# Weka 3.6.14 (it needs Java): with -no-cv its commands train classifiers that can be updated, as the linear SVM
# SPegasos, in one pass over the rows, unscaled, and leave the number of epochs out, silently. Without -no-cv the same
# command trains as its options say.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download weka=3.6.14-3
for archive in *.deb; do dpkg -x "$archive" .; done
{
  printf '@relation r\n@attribute x numeric\n@attribute class {n,p}\n@data\n'
  for x in 1 2 3 4 5 6; do printf '%s,n\n1%s,p\n' "$x" "$x"; done
} >table.arff
for epochs in 1 500; do
  for choice in "-no-cv" "-x 2"; do
    printf 'epochs %s %s ' "$epochs" "$choice"
    # shellcheck disable=SC2086
    java -cp usr/share/java/weka-3.6.14.jar weka.classifiers.functions.SPegasos -t table.arff -E "$epochs" $choice |
      grep --max-count=1 "^Correctly" | tr --squeeze-repeats ' '
  done
done >seen
diff "$folder/seen" - <<'SEEN'
epochs 1 -no-cv Correctly Classified Instances 7 58.3333 %
epochs 1 -x 2 Correctly Classified Instances 12 100 %
epochs 500 -no-cv Correctly Classified Instances 7 58.3333 %
epochs 500 -x 2 Correctly Classified Instances 12 100 %
SEEN
echo "as described"
