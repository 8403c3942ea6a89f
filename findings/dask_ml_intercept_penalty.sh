#!/bin/sh
# dask-ml 2025.1.0: LogisticRegression, whose parameters are scikit-learn's, has a penalty on the
# intercept too. With a small C it is near 0 where classes are of unlike size.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check dask-ml==2025.1.0 dask-glm==0.4.0 scikit-learn==1.9.1 dask==2026.8.0 distributed==2026.8.0 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import dask.array as da
import numpy as np
from dask_ml.linear_model import LogisticRegression
from sklearn.linear_model import LogisticRegression as Peer

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2))
y = (X[:, 0] + 3 + rng.normal(size=200) > 1).astype(int)
model = LogisticRegression(C=1e-4, solver="lbfgs")
model.fit(da.from_array(X, chunks=100), da.from_array(y, chunks=100))
print("dask-ml", round(float(model.intercept_), 2))
print("scikit-learn", round(float(Peer(C=1e-4).fit(X, y).intercept_[0]), 2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
dask-ml 0.01
scikit-learn 2.31
SEEN
echo "as described"
