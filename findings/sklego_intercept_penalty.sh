#!/bin/sh
# scikit-lego 0.9.10: ImbalancedLinearRegression, QuantileRegression and LADRegression have the penalty on the
# intercept too. A constant added to the targets changes the weights; with equal factors the first is scikit-
# learn's Ridge or Lasso otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 scikit-lego==0.9.10
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sklearn.linear_model import Ridge
from sklego.linear_model import ImbalancedLinearRegression

random = np.random.default_rng(0)
X = random.normal(size=(100, 2))
y = X @ [1.0, 2.0] + random.normal(size=100)
for shift in (0.0, 100.0):
    model = ImbalancedLinearRegression(alpha=0.1, l1_ratio=0).fit(X, y + shift)
    ridge = Ridge(alpha=10.0).fit(X, y + shift)
    for name, each in (("scikit-lego", model), ("Ridge", ridge)):
        print(f"targets plus {shift}: {name} {each.coef_.round(2)} intercept {each.intercept_:.2f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
targets plus 0.0: scikit-lego [0.83 1.96] intercept -0.13
targets plus 0.0: Ridge [0.83 1.96] intercept -0.15
targets plus 100.0: scikit-lego [0.09 2.98] intercept 90.63
targets plus 100.0: Ridge [0.83 1.96] intercept 99.85
SEEN
echo "as described"
