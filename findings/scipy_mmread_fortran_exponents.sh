#!/bin/sh
# SciPy 1.17.1: mmread takes 1.5D+01, as Fortran writes numbers of double precision, for 1.5. What
# follows the number on its line is passed over silently; fast_matrix_market 1.7.6 does the same.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 fast-matrix-market==1.7.6
cat >"$folder/fortran.mtx" <<'MATRIX'
%%MatrixMarket matrix coordinate real general
2 2 3
1 1 1.5D+01
2 1 2.5D-01
2 2 4.0E+00
MATRIX
"$folder/env/bin/python" -W ignore - "$folder/fortran.mtx" >"$folder/seen" <<'PROGRAM'
import sys
import fast_matrix_market
import scipy.io

for read in (scipy.io.mmread, fast_matrix_market.mmread):
    print(read.__module__.split(".")[0], read(sys.argv[1]).toarray().tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
scipy [[1.5, 0.0], [2.5, 4.0]]
fast_matrix_market [[1.5, 0.0], [2.5, 4.0]]
SEEN
echo "as described"
