#!/bin/sh
# scikit-learn 1.9.1: dump_svmlight_file writes a multilabel row without labels and features as a blank line,
# which load_svmlight_file passes over: the row is gone from X and Y, silently, and rows no longer match those
# of other tables. A row without labels, or without features, comes back.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import io

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

X = csr_matrix(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
Y = np.array([[1, 0], [0, 0], [0, 0], [0, 1]])
file = io.BytesIO()
dump_svmlight_file(X, Y, file, multilabel=True, zero_based=True)
print(file.getvalue())
file.seek(0)
back, labels = load_svmlight_file(file, multilabel=True, zero_based=True, n_features=2)
print(X.shape, "comes back as", back.shape)
print(labels)
PROGRAM
diff "$folder/seen" - <<'SEEN'
b'0 0:1\n \n 1:2\n1 \n'
(4, 2) comes back as (3, 2)
[(0.0,), (), (1.0,)]
SEEN
echo "as described"
