#!/bin/sh
# gretl 2022c (Debian's, whose libraries must be installed): the log-likelihood and AIC of weighted least squares leave
# the weights' own term out, half of the sum of their logarithms: to multiply all weights by 4 changes the AIC of the
# same model, and it cannot be compared with that of least squares. statsmodels' and R's have the term.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download gretl=2022c-1 gretl-common=2022c-1 libgretl1=2022c-1
for archive in *.deb; do dpkg -x "$archive" .; done
cat >script.inp <<'PROGRAM'
set verbose off
nulldata 40
series x = sin(index)
series y = 1 + x + sin(5*index)/2
loop foreach i 1 4
  series w = $i
  wls w y const x --quiet
  printf "weights of %d: weights of the model %.3f %.3f AIC %.2f\n", $i, $coeff[1], $coeff[2], $aic
endloop
ols y const x --quiet
printf "least squares: weights of the model %.3f %.3f AIC %.2f\n", $coeff[1], $coeff[2], $aic
PROGRAM
LD_LIBRARY_PATH="$folder/usr/lib" usr/bin/gretlcli -b script.inp | grep AIC >"$folder/seen"
diff "$folder/seen" - <<'SEEN'
weights of 1: weights of the model 0.989 1.033 AIC 34.76
weights of 4: weights of the model 0.989 1.033 AIC 90.22
least squares: weights of the model 0.989 1.033 AIC 34.76
SEEN
echo "as described"
