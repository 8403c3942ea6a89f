#!/bin/sh
# lifelines 0.30.3: CoxPHFitter with entry_col fits the weights of late entry, and its baseline hazard is that of
# everyone at risk from time 0 on: baseline_hazard_, and with it predict_survival_function, leave the entries out,
# without a word. The weights are those of statsmodels' PHReg.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check lifelines==0.30.3 statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
import statsmodels.api as sm
from lifelines import CoxPHFitter

random = np.random.default_rng(0)
x = random.normal(size=60)
times = random.exponential(size=60) * np.exp(-0.5 * x) * 5 + 0.5
entries = 0.8 * times * random.random(60)
events = random.random(60) < 0.7
table = pd.DataFrame({"x": x, "time": times, "event": events, "entry": entries})
model = CoxPHFitter().fit(table, "time", "event", entry_col="entry")
peer = sm.PHReg(times, x[:, None], status=events.astype(int), entry=entries).fit()
weight = model.params_["x"]
risks = np.exp(weight * (x - x.mean()))
print("weights alike", bool(abs(weight - peer.params[0]) < 1e-5))


def hazard(entries):
    """Events over the risks of those there, summed over all times."""
    there = [(times >= time) & (entries < time) for time in times[events]]
    return sum(1 / risks[each].sum() for each in there)


print(f"lifelines {model.baseline_cumulative_hazard_.iloc[-1, 0]:.4f}")
print(f"by hand with entries {hazard(entries):.4f}")
print(f"by hand without entries {hazard(np.zeros(60)):.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights alike True
lifelines 3.6366
by hand with entries 4.5802
by hand without entries 3.6366
SEEN
echo "as described"
