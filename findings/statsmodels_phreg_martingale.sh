#!/bin/sh
# statsmodels 0.15.0: PHReg's cumulative hazard at the time of an event leaves this event out. So
# martingale residuals do not sum to 0, who has the first event has the survival 1 at its time,
# and both differ from lifelines, which agrees with sums of events over risk sets by hand.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0 lifelines==0.30.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
import statsmodels.api as sm
from lifelines import CoxPHFitter

random = np.random.default_rng(0)
x = random.normal(size=50)
times = random.exponential(size=50) * np.exp(-0.5 * x)
events = (random.random(50) < 0.8) | np.isin(times, [times.min(), times.max()])
table = pd.DataFrame({"x": x, "time": times, "event": events})
fits = sm.PHReg(times, x[:, None], status=events.astype(int)).fit(), CoxPHFitter().fit(table, "time", "event")
risks = np.exp(x * fits[0].params[0])
jumps = events / np.array([risks[times >= time].sum() for time in times])
hazards = risks * np.array([jumps[times <= time].sum() for time in times])
residuals = {
    "statsmodels": fits[0].martingale_residuals,
    "lifelines": fits[1].compute_residuals(table, "martingale")["martingale"].sort_index().to_numpy(),
    "by hand": events - hazards,
}
for name, values in residuals.items():
    first = times == times[events].min()
    print(f"{name} sum {abs(values.sum()):.2f} hazard at the first event {1 - values[first][0]:.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
statsmodels sum 4.28 hazard at the first event 0.0000
lifelines sum 0.00 hazard at the first event 0.0192
by hand sum 0.00 hazard at the first event 0.0192
SEEN
echo "as described"
