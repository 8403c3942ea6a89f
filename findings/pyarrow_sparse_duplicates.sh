#!/bin/sh
# pyarrow 26.0.1: to_tensor of a sparse tensor takes the last of several values at one place, to_scipy their sum.
# SciPy's matrices may have such values, and they count as their sum: from_scipy and to_tensor lose some.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pyarrow==26.0.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pyarrow as pa
import scipy.sparse as sp

coo = sp.coo_matrix(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
csr = sp.csr_matrix(([1.0, 2.0, 4.0], np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
for kind, matrix in ((pa.SparseCOOTensor, coo), (pa.SparseCSRMatrix, csr)):
    tensor = kind.from_scipy(matrix)
    print("scipy", matrix.toarray().tolist())
    print(kind.__name__, tensor.to_tensor().to_numpy().tolist(), "and back", tensor.to_scipy().toarray().tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
scipy [[0.0, 3.0, 0.0], [4.0, 0.0, 0.0]]
SparseCOOTensor [[0.0, 2.0, 0.0], [4.0, 0.0, 0.0]] and back [[0.0, 3.0, 0.0], [4.0, 0.0, 0.0]]
scipy [[0.0, 3.0, 0.0], [4.0, 0.0, 0.0]]
SparseCSRMatrix [[0.0, 2.0, 0.0], [4.0, 0.0, 0.0]] and back [[0.0, 3.0, 0.0], [4.0, 0.0, 0.0]]
SEEN
echo "as described"
