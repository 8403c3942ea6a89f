#!/bin/sh
# statsmodels 0.15.0 and lifelines 0.30.3: who enters at the time of an event is at risk of it for
# statsmodels' PHReg, and not for lifelines' CoxPHFitter, whose rows are at risk in (entry, time].
# The weights are the same where entries are a little later, or a little earlier, than events.
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

times, events = np.array([2.0, 3, 4, 5, 6, 7]), np.array([1, 1, 0, 1, 1, 1])
x, entries = np.array([1.0, 0, 2, 1, 3, 0.5]), np.array([0, 0, 2.0, 3, 0, 3])
for shift in (-0.001, 0, 0.001):
    entry = np.where(entries > 0, entries + shift, 0)
    own = sm.PHReg(times, x[:, np.newaxis], status=events, entry=entry).fit(disp=0).params[0]
    table = pd.DataFrame({"time": times, "event": events, "x": x, "entry": entry})
    other = CoxPHFitter().fit(table, "time", "event", entry_col="entry").params_["x"]
    print(f"{shift:+.3f} statsmodels {own:.4f} lifelines {other:.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
-0.001 statsmodels -0.2130 lifelines -0.2130
+0.000 statsmodels -0.2130 lifelines -0.2214
+0.001 statsmodels -0.2214 lifelines -0.2214
SEEN
echo "as described"
