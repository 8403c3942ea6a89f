#!/bin/sh
# Miller 6.6.0: stats2 -a logireg, "univariate logistic regression", stops after one Newton step from 0: its slope is 4 times
# that of least squares on 0 and 1, too small, and it says nothing. Its probabilities do not meet the condition of the
# optimum, that the sum of x times the errors is 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download miller=6.6.0-2+b3
for archive in *.deb; do dpkg -x "$archive" .; done
cat >table.csv <<'TABLE'
x,z
1,0
2,0
3,1
4,0
5,1
6,1
TABLE
{
  usr/bin/mlr --icsv --oxtab --ofmt %.3f stats2 -a logireg,linreg-ols -f x,z table.csv | grep -E "_[mb] "
  usr/bin/mlr --icsv --oxtab --ofmt %.3f stats2 --fit -a logireg -f x,z \
    then put '$gradient = $x * ($z - $x_z_logistic_fit)' then stats1 -a sum -f gradient table.csv
  printf 'the optimum is 1.214 and -4.249\n'
} >"$folder/seen"
diff "$folder/seen" - <<'SEEN'
x_z_logistic_m 0.800
x_z_logistic_b -2.800
x_z_ols_m      0.200
x_z_ols_b      -0.200
gradient_sum 0.692
the optimum is 1.214 and -4.249
SEEN
echo "as described"
