#!/bin/sh
# pyglmnet 1.1: simulate_glm with distr="gamma" and sample=True draws nothing: every random_state gives
# the exponential of the mean, where the other families are sampled with that mean.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pyglmnet==1.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from pyglmnet import simulate_glm

X, weights = np.zeros((20000, 1)), np.zeros(1)
for family in ("poisson", "gaussian", "gamma"):
    mean = simulate_glm(family, 1.0, weights, X, sample=False)[0]
    first, second = (
        simulate_glm(family, 1.0, weights, X, random_state=seed, sample=True) for seed in (0, 1)
    )
    print(f"{family} mean {mean:.1f} of a sample {first.mean():.1f}", end=" ")
    print("two samples equal:", np.array_equal(first, second), "spread:", first.std() > 1e-6)
PROGRAM
diff "$folder/seen" - <<'SEEN'
poisson mean 2.7 of a sample 2.7 two samples equal: False spread: True
gaussian mean 1.0 of a sample 1.0 two samples equal: False spread: True
gamma mean 1.3 of a sample 3.7 two samples equal: True spread: False
SEEN
echo "as described"
