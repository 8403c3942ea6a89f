#!/bin/sh
# lifelines 0.30.3: CoxPHFitter with l1_ratio=1 sets no weight to 0, whatever the penalty: its 1-norm
# is smoothed. scikit-survival's Coxnet at a large penalty has zeros alone.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check lifelines==0.30.3 scikit-survival==0.28.0 pandas==2.3.3 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import pandas as pd
from lifelines import CoxPHFitter
from sksurv.linear_model import CoxnetSurvivalAnalysis
from sksurv.util import Surv

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
times = rng.exponential(np.exp(-X[:, 0]))
frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(time=times, event=1)
for penalty in (0.1, 1.0, 10.0):
    fitter = CoxPHFitter(penalizer=penalty, l1_ratio=1.0).fit(frame, "time", "event")
    zeros = int((fitter.params_ == 0).sum())
    small = int((np.abs(fitter.params_) < 1e-5).sum())
    print("lifelines", penalty, "zeros", zeros, "below 1e-5", small)
told = Surv.from_arrays(np.ones(200, bool), times)
peer = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[10.0]).fit(X, told)
print("Coxnet zeros", int((peer.coef_ == 0).sum()))
PROGRAM
diff "$folder/seen" - <<'SEEN'
lifelines 0.1 zeros 0 below 1e-5 2
lifelines 1.0 zeros 0 below 1e-5 4
lifelines 10.0 zeros 0 below 1e-5 4
Coxnet zeros 4
SEEN
echo "as described"
