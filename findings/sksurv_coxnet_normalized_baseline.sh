#!/bin/sh
# scikit-survival 0.28.0: CoxnetSurvivalAnalysis(normalize=True, fit_baseline_model=True) has the weights of
# normalize=False, and other survival functions, without a word. Breslow's estimate at these weights by hand is
# that of normalize=False.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check scikit-survival==0.28.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sksurv.linear_model import CoxnetSurvivalAnalysis
from sksurv.util import Surv

random = np.random.default_rng(0)
X = random.normal(size=(80, 2)) + 1
times = random.exponential(size=80) * np.exp(-0.5 * X[:, 0]) * 5
events = random.random(80) < 0.7
y = Surv.from_arrays(events, times)
for normalize in (False, True):
    model = CoxnetSurvivalAnalysis(
        alphas=[1e-8], l1_ratio=0.5, tol=1e-12, normalize=normalize, fit_baseline_model=True
    ).fit(X, y)
    risks = np.exp((X - X[0]) @ model.coef_[:, 0])
    sums = [1 / risks[times >= time].sum() for time in times[events & (times <= 2)]]
    told = model.predict_survival_function(X[:1])[0](2.0)
    print(f"normalize {normalize}: weights {model.coef_[:, 0].round(4)}")
    print(f"survival at 2 {told:.4f}, by hand {np.exp(-sum(sums)):.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
normalize False: weights [0.511  0.0574]
survival at 2 0.6715, by hand 0.6715
normalize True: weights [0.511  0.0574]
survival at 2 0.6596, by hand 0.6715
SEEN
echo "as described"
