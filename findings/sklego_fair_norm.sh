#!/bin/sh
# scikit-lego 0.9.10: penalty="l2" of DemographicParityClassifier and EqualOpportunityClassifier is the norm
# over C, not half its square over C as in support vector machines, to which the documentation of C likens it.
# A small C makes all weights 0, which a ridge penalty never does.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 scikit-learn==1.9.1 scikit-lego==0.9.10 cvxpy==1.9.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklego.linear_model import DemographicParityClassifier

random = np.random.default_rng(0)
X = random.normal(size=(100, 2))
y = (X.sum(axis=1) + 0.5 * random.normal(size=100) > 0).astype(int)


def norm(w, C):
    scores = X @ w[1:] + w[0]
    return np.logaddexp(0, scores).sum() - y @ scores + np.linalg.norm(w[1:]) / C


for C in (0.1, 0.02):
    fair = DemographicParityClassifier(None, sensitive_cols=[1], C=C, penalty="l2", train_sensitive_cols=True)
    own = minimize(norm, [0.0, 0.5, 0.5], args=(C,), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    print(f"C={C} scikit-lego {np.abs(fair.fit(X, y).estimators_[0].coef_.ravel()).round(2)}", end=" ")
    print(f"norm {np.abs(own.x[1:]).round(2)} scikit-learn {LogisticRegression(C=C).fit(X, y).coef_.ravel().round(2)}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
C=0.1 scikit-lego [1.2  1.11] norm [1.2  1.11] scikit-learn [0.97 0.89]
C=0.02 scikit-lego [0. 0.] norm [0. 0.] scikit-learn [0.39 0.36]
SEEN
echo "as described"
