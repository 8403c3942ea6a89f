#!/bin/sh
# XGBoost 3.2.0: survival:cox multiplies gradients by the weights of examples, and leaves them out
# of the sums over those at risk: the weights found are those of no weighted likelihood. The times
# have no ties. Without weights, the linear booster finds what lifelines 0.30.3 finds.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 xgboost-cpu==3.2.0 lifelines==0.30.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
import xgboost
from lifelines import CoxPHFitter

random = np.random.default_rng(0)
x = random.normal(size=40)
times, events = random.exponential(np.exp(-x)), random.random(40) < 0.7
choices = {"booster": "gblinear", "updater": "coord_descent", "objective": "survival:cox"}
choices |= {"lambda": 0, "base_score": 1.0}
for name, weights in (("ones", np.ones(40)), ("1 or 4", np.where(x > 0, 4.0, 1.0))):
    matrix = xgboost.DMatrix(x[:, np.newaxis], np.where(events, times, -times), weight=weights)
    dump = xgboost.train(choices, matrix, 500).get_dump()[0].split()
    table = pd.DataFrame({"x": x, "time": times, "event": events, "weight": weights})
    fit = CoxPHFitter().fit(table, "time", "event", weights_col="weight")
    print(name, f"XGBoost {float(dump[-1]):.3f} lifelines {fit.params_['x']:.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
ones XGBoost 1.767 lifelines 1.767
1 or 4 XGBoost 1.913 lifelines 1.865
SEEN
echo "as described"
