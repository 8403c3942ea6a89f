#!/bin/sh
# napkinxc 0.7.2: save_libsvm_file writes an empty file, over what was there, without a word.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check napkinxc==0.7.2 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
from pathlib import Path

import numpy as np
from napkinxc.datasets import load_libsvm_file, save_libsvm_file
from scipy.sparse import csr_matrix

Path("data").write_text("2 4 3\n0 1:0.5 3:2\n1,2 0:5\n")
X, Y = load_libsvm_file("data")
print(X.toarray().tolist(), Y)
print(save_libsvm_file("data", X, Y))
print(repr(Path("data").read_text()))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[[0.0, 0.5, 0.0, 2.0], [5.0, 0.0, 0.0, 0.0]] [[0], [1, 2]]
None
''
SEEN
echo "as described"
