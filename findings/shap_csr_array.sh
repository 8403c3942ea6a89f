#!/bin/sh
# shap 0.51.0: LinearExplainer takes a csr_matrix and fails on a csr_array of the same numbers, with
# an error that does not name the type.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 shap==0.51.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import scipy.sparse as sp
import shap
from sklearn.linear_model import LinearRegression

X = np.random.default_rng(0).normal(size=(50, 4))
for kind in (sp.csr_matrix, sp.csr_array):
    S = kind(X)
    model = LinearRegression().fit(S, X[:, 0])
    try:
        print(kind.__name__, shap.LinearExplainer(model, S).shap_values(S[:2]).shape)
    except TypeError as error:
        print(kind.__name__, "TypeError:", error)
PROGRAM
diff "$folder/seen" - <<'SEEN'
csr_matrix (2, 4)
csr_array TypeError: object of type 'numpy.float64' has no len()
SEEN
echo "as described"
