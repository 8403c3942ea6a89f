#!/bin/sh
# scikit-learn 1.9.1: LabelBinarizer mixes up the columns of a label matrix of a small integer type.
# The classes are 0 to k - 1; a matrix of uint8 with 257 columns or of int8 with 129 comes out of
# transform with its columns in another order, without a word. OneVsRestClassifier calls it on Y. An
# int64 matrix of the same numbers comes out as it went in.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sklearn.preprocessing import LabelBinarizer

for kind, columns in (("int8", 128), ("int8", 130), ("uint8", 256), ("uint8", 257), ("int64", 300)):
    Y = np.eye(columns, dtype=kind)
    out = LabelBinarizer().fit(Y).transform(Y)
    print(kind, columns, "same" if np.array_equal(out, Y) else "other order")
PROGRAM
diff "$folder/seen" - <<'SEEN'
int8 128 same
int8 130 other order
uint8 256 same
uint8 257 other order
int64 300 same
SEEN
echo "as described"
