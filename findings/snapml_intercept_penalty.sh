#!/bin/sh
# snapml 1.17.2: LinearRegression(fit_intercept=True) has a penalty on the intercept, so that it is
# not that of scikit-learn's Ridge: of targets around 1000 it finds 995.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 snapml==1.17.2
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import snapml
from sklearn.linear_model import Ridge

random = np.random.default_rng(0)
X = random.normal(size=(200, 3))
y = X[:, 0] + 1000.0
theirs = snapml.LinearRegression(fit_intercept=True, regularizer=1.0, tol=1e-9).fit(X, y)
ours = Ridge(alpha=1.0).fit(X, y)
print("snapml", round(float(theirs.intercept_), 1), "scikit-learn", round(float(ours.intercept_), 1))
PROGRAM
diff "$folder/seen" - <<'SEEN'
snapml 995.0 scikit-learn 1000.0
SEEN
echo "as described"
