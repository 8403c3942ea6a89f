#!/bin/sh
# XGBoost 3.2.0: with survival:cox the gradients of examples with equal times depend on the order of
# rows: of events at one time, each counts only itself and those before it. So the linear booster's
# weights differ for the same rows reversed, and neither are those of ties by Breslow (statsmodels
# 0.15.0). Where no times are equal, all agree.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 xgboost-cpu==3.2.0 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm
import xgboost

random = np.random.default_rng(0)
x = np.sort(random.normal(size=40))
times = random.exponential(8 * np.exp(-x))
events = random.random(40) < 0.8
choices = {"booster": "gblinear", "updater": "coord_descent", "objective": "survival:cox"}
choices |= {"lambda": 0, "base_score": 1.0}
for name, t in (("no ties", times), ("ties", np.ceil(times))):
    label = np.where(events, t, -t)
    for order, rows in (("as they are", slice(None)), ("reversed", slice(None, None, -1))):
        matrix = xgboost.DMatrix(x[rows, np.newaxis], label[rows])
        dump = xgboost.train(choices, matrix, 500).get_dump()[0].split()
        other = sm.PHReg(t[rows], x[rows, np.newaxis], status=events[rows]).fit(disp=0).params[0]
        print(f"{name}, {order}: XGBoost {float(dump[-1]):.3f} Breslow {other:.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
no ties, as they are: XGBoost 1.070 Breslow 1.070
no ties, reversed: XGBoost 1.070 Breslow 1.070
ties, as they are: XGBoost 1.047 Breslow 1.020
ties, reversed: XGBoost 1.265 Breslow 1.020
SEEN
echo "as described"
