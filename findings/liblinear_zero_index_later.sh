#!/bin/sh
# liblinear-official 2.50.0 and libsvm-official 3.37.0: svm_read_problem(return_scipy=True) shifts indices by 1 until
# it meets an index 0, and not after it. In a file that counts from 0, the rows before the first entry of
# feature 0 have their values one column to the left, silently. Without return_scipy all is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 liblinear-official==2.50.0 libsvm-official==3.37.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from io import StringIO

from liblinear import commonutil as liblinear
from libsvm import commonutil as libsvm

TEXT = "1 1:5 2:7\n-1 0:1 1:5\n1 1:5 2:7\n"
for package in (liblinear, libsvm):
    name = package.__name__.split(".")[0]
    print(name, "scipy", package.svm_read_problem(StringIO(TEXT), return_scipy=True)[1].toarray().tolist())
    print(name, "lists", package.svm_read_problem(StringIO(TEXT))[1])
PROGRAM
diff "$folder/seen" - <<'SEEN'
liblinear scipy [[5.0, 7.0, 0.0], [1.0, 5.0, 0.0], [0.0, 5.0, 7.0]]
liblinear lists [{1: 5.0, 2: 7.0}, {0: 1.0, 1: 5.0}, {1: 5.0, 2: 7.0}]
libsvm scipy [[5.0, 7.0, 0.0], [1.0, 5.0, 0.0], [0.0, 5.0, 7.0]]
libsvm lists [{1: 5.0, 2: 7.0}, {0: 1.0, 1: 5.0}, {1: 5.0, 2: 7.0}]
SEEN
echo "as described"
