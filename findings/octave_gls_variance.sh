#!/bin/sh
# Octave 7.3.0 (with Octave installed): the second value of gls, documented as the estimator of the variance, is a
# row with one number for each example, as the residuals have taken the place of the rank in its divisor. With the
# identity it should be that of ols.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download octave-common=7.3.0-2
for archive in *.deb; do dpkg -x "$archive" .; done
octave --no-gui --norc --quiet >"$folder/seen" 2>/dev/null <<'PROGRAM'
addpath([getenv("PWD") "/usr/share/octave/7.3.0/m/linear-algebra"]);
X = [ones(5, 1) (1:5)'];
y = [1; 2; 2; 5; 4];
[weights, variance] = ols(y, X);
printf("ols %.3f %.3f variance %s\n", weights, mat2str(variance, 3));
[weights, variance, residuals] = gls(y, X, eye(5));
printf("gls %.3f %.3f variance %s\n", weights, mat2str(variance, 3));
printf("by hand %.3f\n", residuals' * residuals / 3);
PROGRAM
diff "$folder/seen" - <<'SEEN'
ols 0.100 0.900 variance 0.9
gls 0.100 0.900 variance [0.106 0.104 0.123 0.0782 0.118]
by hand 0.900
SEEN
echo "as described"
