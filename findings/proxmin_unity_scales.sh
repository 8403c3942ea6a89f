#!/bin/sh
# proxmin 0.6.12: prox_unity and prox_unity_plus, the projections on a sum of 1, divide by the sum. That
# is not the nearest point: of (3, 1) with numbers above 0 it is (1, 0), at the distance 2.24, where
# (0.75, 0.25) is at 2.37. So alternating with other projections ends elsewhere.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 proxmin==0.6.12
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from proxmin.operators import prox_unity, prox_unity_plus
from scipy.optimize import minimize

point = np.array([3.0, 1.0])
total = {"type": "eq", "fun": lambda weights: weights.sum() - 1}
for operator, bounds in ((prox_unity, None), (prox_unity_plus, [(0, None)] * 2)):
    own = operator(point.copy(), 1.0)
    nearest = minimize(
        lambda weights: np.sum((weights - point) ** 2), [0.5, 0.5], bounds=bounds, constraints=total
    ).x
    distances = [np.linalg.norm(weights - point).round(2) for weights in (own, nearest)]
    print(operator.__name__, own, "nearest", nearest.round(2) + 0.0, "distances", *distances)
PROGRAM
diff "$folder/seen" - <<'SEEN'
prox_unity [0.75 0.25] nearest [ 1.5 -0.5] distances 2.37 2.12
prox_unity_plus [0.75 0.25] nearest [1. 0.] distances 2.37 2.24
SEEN
echo "as described"
