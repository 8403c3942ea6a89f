#!/bin/sh
# statistics 1.5.3 (a package of Octave, which must be installed): the slope of logistic_regression is that of the
# probability of the first classes, as its help says in a formula. For 0 and 1, of which the help says that it is
# ordinary logistic regression, slope and intercept have the opposite signs of everyone else's.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download octave-statistics=1.5.3-2
for archive in *.deb; do dpkg -x "$archive" .; done
octave --no-gui --norc --quiet >"$folder/seen" 2>/dev/null <<'PROGRAM'
addpath([getenv("PWD") "/usr/share/octave/packages/statistics-1.5.3"]);
x = [1 2 3 4 5 6 3 2]';
y = [0 0 1 0 1 1 0 1]';
[intercept, slope] = logistic_regression(y, x);
weights = [0; 0];
for step = 1:50
  p = 1 ./ (1 + exp(-[ones(8, 1) x] * weights));
  weights += ([ones(8, 1) x]' * (p .* (1 - p) .* [ones(8, 1) x])) \ ([ones(8, 1) x]' * (y - p));
end
printf("correlation of x and y %.2f\n", corr(x, y));
printf("logistic_regression: intercept %.3f slope %.3f\n", intercept, slope);
printf("likelihood of 1:     intercept %.3f slope %.3f\n", weights);
PROGRAM
diff "$folder/seen" - <<'SEEN'
correlation of x and y 0.48
logistic_regression: intercept 2.389 slope -0.747
likelihood of 1:     intercept -2.389 slope 0.747
SEEN
echo "as described"
