#!/bin/sh
# survivalpredict 0.0.4: CoxPHElasticNet without a penalty does not find the optimum of the partial likelihood,
# with any number of iterations: weights are several times too small, or have the wrong sign. Its
# CoxProportionalHazard does.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 jax==0.10.2 optax==0.2.8 numba==0.65.1 pymc==5.28.5 pymc-extras==0.10.0 survivalpredict==0.0.4
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from survivalpredict.estimators import CoxPHElasticNet, CoxProportionalHazard

random = np.random.default_rng(0)
X = random.normal(size=(80, 2))
times = np.ceil(random.exponential(np.exp(-X[:, 0])) * 20).astype(np.int64)
events = random.random(80) < 0.7


def loss(weights):
    scores = X @ weights
    at_risk = times >= times[:, np.newaxis]
    return -np.sum(events * (scores - np.log(at_risk @ np.exp(scores))))


for model in (CoxPHElasticNet(alpha=0.0, max_iter=100), CoxPHElasticNet(alpha=0.0, max_iter=10000), CoxProportionalHazard()):
    model.fit(X, times, events)
    print(type(model).__name__, model.coef_.round(2), "minus log of the partial likelihood", round(loss(model.coef_), 2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
CoxPHElasticNet [ 0.24 -0.4 ] minus log of the partial likelihood 161.22
CoxPHElasticNet [ 0.24 -0.4 ] minus log of the partial likelihood 161.22
CoxProportionalHazard [1.1  0.08] minus log of the partial likelihood 148.32
SEEN
echo "as described"
