#!/bin/sh
# scikit-survival 0.28.0: CoxnetSurvivalAnalysis rescales penalty_factor to the sum of the number of
# features. Factors of 2 for all features are factors of 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 scikit-survival==0.28.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sksurv.linear_model import CoxnetSurvivalAnalysis
from sksurv.util import Surv

random = np.random.default_rng(0)
X = random.normal(size=(80, 2))
y = Surv.from_arrays(random.random(80) < 0.8, random.exponential(size=80) * np.exp(-X[:, 0]))
for factors in ([1.0, 1.0], [2.0, 2.0], [1.0, 3.0]):
    model = CoxnetSurvivalAnalysis(alphas=[0.1], penalty_factor=np.array(factors)).fit(X, y)
    print(factors, model.coef_.ravel().round(4))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[1.0, 1.0] [0.9117 0.1344]
[2.0, 2.0] [0.9117 0.1344]
[1.0, 3.0] [1.0451 0.0874]
SEEN
echo "as described"
