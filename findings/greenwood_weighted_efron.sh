#!/bin/sh
# greenwood 0.8.0: CoxPH with weights and Efron ties, its default, has other weights than Efron's likelihood, R's
# survival and lifelines, which agree with each other. Without weights, or with Breslow's ties, it has the same.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 greenwood==0.8.0 lifelines==0.30.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
from greenwood import CoxPH, Surv
from lifelines import CoxPHFitter
from scipy.optimize import minimize

table = pd.DataFrame({
    "time": [1, 1, 1, 2, 2, 3, 3, 3, 4, 4],
    "event": [1, 1, 0, 1, 1, 1, 1, 0, 1, 1],
    "x": [0.5, -1, 0.3, 1, 0.2, -0.7, 0.1, 0.9, -0.3, 0.4],
    "weight": [1, 5, 1, 2, 4, 1, 3, 1, 2, 6],
})


def objective(weight, costs, efron):
    time, event, x = (table[name].to_numpy() for name in ("time", "event", "x"))
    risks, value = costs * np.exp(weight[0] * x), 0.0
    for now in np.unique(time):
        dead = (time == now) & (event == 1)
        for place in range(dead.sum()):
            share = place / dead.sum() if efron else 0.0
            value += costs[dead].mean() * np.log(risks[time >= now].sum() - share * risks[dead].sum())
        value -= weight[0] * (costs * x)[dead].sum()
    return value


for name, costs in (("equal weights", np.ones(10)), ("weights", table["weight"].to_numpy(float))):
    for ties in ("breslow", "efron"):
        told = CoxPH(ties=ties).fit(Surv(table["time"], event=table["event"]), table[["x"]], weights=costs).coef_
        best = minimize(objective, [0.0], (costs, ties == "efron"), tol=1e-10).x
        print(name, ties, "greenwood", np.round(told, 3), "least", best.round(3))
told = CoxPHFitter().fit(table, "time", "event", weights_col="weight").params_.to_numpy()
print("lifelines with weights, efron", told.round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
equal weights breslow greenwood [-0.351] least [-0.351]
equal weights efron greenwood [-0.394] least [-0.394]
weights breslow greenwood [-0.91] least [-0.91]
weights efron greenwood [-0.983] least [-1.007]
lifelines with weights, efron [-1.007]
SEEN
echo "as described"
