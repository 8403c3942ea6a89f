#!/bin/sh
# skglm 0.5: CoxEstimator(method="breslow") minimizes Efron's likelihood, the same as method="efron".
# Its datafit is given the name of the method where it asks for a truth value, and both names are
# true. Where times tie, the weights are not those that minimize Breslow's likelihood.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 numba==0.68.1 skglm==0.5
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from scipy.optimize import minimize
from skglm.estimators import CoxEstimator

random = np.random.default_rng(0)
X = random.normal(size=(60, 2))
times = np.ceil(3 * random.exponential(size=60))
events = (random.random(60) < 0.8).astype(float)


def objective(weights, method):
    scores, value = X @ weights, 0.0
    for time in np.unique(times[events == 1]):
        dead = (times == time) & (events == 1)
        for place in range(dead.sum()):
            share = place / dead.sum() if method == "efron" else 0.0
            at_risk = np.exp(scores[times >= time]).sum() - share * np.exp(scores[dead]).sum()
            value += np.log(at_risk)
        value -= scores[dead].sum()
    return value / 60 + 0.025 * weights @ weights


y = np.column_stack([times, events])
for method in ("breslow", "efron"):
    model = CoxEstimator(alpha=0.05, l1_ratio=0.0, method=method, tol=1e-9, max_iter=500)
    best = minimize(objective, [0.0, 0.0], method, tol=1e-9).x
    print(method, "skglm", model.fit(X, y).coef_.round(3), "least", best.round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
breslow skglm [0.062 0.261] least [0.059 0.237]
efron skglm [0.062 0.261] least [0.062 0.261]
SEEN
echo "as described"
