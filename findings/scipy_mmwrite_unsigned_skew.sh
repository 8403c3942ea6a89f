#!/bin/sh
# SciPy 1.17.1: mmwrite takes the uint8 matrix [0 2; 254 0] for skew-symmetric, as -2 is 254 in 8 bits,
# and writes one triangle; mmread gives -254 for the 2. As int64, or with symmetry="general", it
# comes back as it was. fast_matrix_market 1.7.6 does the same.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 fast_matrix_market==1.7.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import io

import fast_matrix_market
import numpy as np
import scipy.io
from scipy.sparse import csr_array

matrix = np.array([[0, 2], [254, 0]], dtype=np.uint8)
for name, package in (("scipy", scipy.io), ("fast_matrix_market", fast_matrix_market)):
    for values, options in (
        (matrix, {}),
        (matrix.astype(np.int64), {}),
        (matrix, {"symmetry": "general"}),
    ):
        file = io.BytesIO()
        package.mmwrite(file, csr_array(values), **options)
        symmetry = file.getvalue().decode().split()[4]
        file.seek(0)
        print(name, values.dtype, symmetry, package.mmread(file).toarray().tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
scipy uint8 skew-symmetric [[0, -254], [254, 0]]
scipy int64 general [[0, 2], [254, 0]]
scipy uint8 general [[0, 2], [254, 0]]
fast_matrix_market uint8 skew-symmetric [[0, -254], [254, 0]]
fast_matrix_market int64 general [[0, 2], [254, 0]]
fast_matrix_market uint8 general [[0, 2], [254, 0]]
SEEN
echo "as described"
