#!/bin/sh
# abess 0.4.11: GammaRegression ends far from its optimum where means are far from 1, without a warning, however
# many iterations are allowed. Its mean is -1 / score; SciPy minimizes the same deviance.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 abess==0.4.11
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from abess import GammaRegression
from scipy.optimize import minimize

random = np.random.default_rng(0)
X = random.normal(size=(500, 2))


def loss(weights, y):
    rates = -weights[0] - X @ weights[1:]
    return np.mean(y * rates - np.log(rates)) if rates.min() > 0 else np.inf


for rate in (1, 10):
    y = random.gamma(5, 0.2, size=500) / (rate * (1 + 0.2 * np.clip(X[:, 0], -2, 2)))
    model = GammaRegression(support_size=2, primary_model_fit_max_iter=10000, primary_model_fit_epsilon=1e-12)
    model.fit(X, y)
    found = np.r_[model.intercept_, model.coef_]
    best = minimize(loss, [-rate, 0, 0], y, method="Nelder-Mead", options={"xatol": 1e-7, "maxiter": 5000})
    print("abess", found.round(2), "least", best.x.round(2), "losses", round(loss(found, y), 3), round(best.fun, 3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
abess [-0.97 -0.17  0.01] least [-0.97 -0.17  0.01] losses 1.065 1.065
abess [-1.48 -0.02  0.  ] least [-10.11  -1.73   0.12] losses -0.24 -1.283
SEEN
echo "as described"
