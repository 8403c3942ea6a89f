#!/bin/sh
# scikit-learn-intelex 2026.2.0: LinearRegression with more columns than rows gives the least norm of weights and
# intercept, scikit-learn's of the weights alone: the intercept is drawn to 0, and predictions of new rows with it,
# silently. A constant added to the targets is not added to the predictions.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 scikit-learn-intelex==2026.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from sklearn.linear_model import LinearRegression
from sklearnex.linear_model import LinearRegression as Patched

random = np.random.default_rng(0)
X, new = random.normal(size=(4, 6)), random.normal(size=(3, 6))
for constant in (0, 100):
    y = np.array([1.0, 2, 2, 3]) + constant
    for name, model in (("scikit-learn", LinearRegression()), ("scikit-learn-intelex", Patched())):
        model.fit(X, y)
        error = np.abs(model.predict(X) - y).max()
        print(name, "intercept", model.intercept_.round(2), "new rows", model.predict(new).round(2), "exact", bool(error < 1e-9))
PROGRAM
diff "$folder/seen" - <<'SEEN'
scikit-learn intercept 1.49 new rows [1.59 1.71 1.57] exact True
scikit-learn-intelex intercept 1.07 new rows [1.44 1.26 2.23] exact True
scikit-learn intercept 101.49 new rows [101.59 101.71 101.57] exact True
scikit-learn-intelex intercept 87.88 new rows [ 96.57  86.87 122.69] exact True
SEEN
echo "as described"
