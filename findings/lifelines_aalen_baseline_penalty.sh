#!/bin/sh
# lifelines 0.30.3: AalenAdditiveFitter(coef_penalizer=...) has the penalty on the baseline too, and columns are not
# centred: adding a constant to a column changes the survival functions. Without a penalty it does not.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 lifelines==0.30.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
from lifelines import AalenAdditiveFitter

random = np.random.default_rng(0)
frame = pd.DataFrame({"a": random.normal(size=100), "b": random.normal(size=100)})
frame["T"] = random.exponential(np.exp(-0.5 * frame["a"] + 0.3 * frame["b"]))
for penalty in (0.0, 0.5):
    for constant in (0, 20):
        moved = frame.assign(b=frame["b"] + constant)
        model = AalenAdditiveFitter(coef_penalizer=penalty).fit(moved, "T")
        hazards = model.predict_cumulative_hazard(moved.iloc[:2]).loc[:1].iloc[-1].to_numpy()
        print("penalty", penalty, "b +", constant, "cumulative hazards at 1", hazards.round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
penalty 0.0 b + 0 cumulative hazards at 1 [0.81 0.56]
penalty 0.0 b + 20 cumulative hazards at 1 [0.81 0.56]
penalty 0.5 b + 0 cumulative hazards at 1 [0.8  0.56]
penalty 0.5 b + 20 cumulative hazards at 1 [0.92 0.84]
SEEN
echo "as described"
