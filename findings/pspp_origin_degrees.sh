#!/bin/sh
# PSPP 1.6.2 (Debian's, whose libraries must be installed): REGRESSION /ORIGIN fits without an intercept and reports the
# degrees of freedom of that, but takes p-values from Student's distribution with one less:
# they are too large. For t = 3.67 and 2 degrees of freedom it is 0.067.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download pspp=1.6.2-2
for archive in *.deb; do dpkg -x "$archive" .; done
cat >script.sps <<'PROGRAM'
data list free / x y.
begin data
1 2
2 1
3 4
end data.
set format = F8.4.
regression /variables = x /dependent = y /origin /method=enter.
PROGRAM
LD_LIBRARY_PATH="$folder/usr/lib/pspp" usr/bin/pspp -O format=txt script.sps | tr -s " " | grep -E "^\|(Residual|x)" >"$folder/seen"
diff "$folder/seen" - <<'SEEN'
|Residual | 2.7143| 2| 1.3571| | |
|x| 1.1429| .3113| .9331|3.6707|.169|
SEEN
echo "as described"
