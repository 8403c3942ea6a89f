#!/bin/sh
# lifelines 0.30.3: BIC_ of an AFT regression counts two parameters, the names of those of the distribution, whatever the
# number of columns, so that columns of noise always lower it: 8 of them are preferred to 1. AIC_ counts all weights.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 lifelines==0.30.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
from lifelines import WeibullAFTFitter

random = np.random.default_rng(0)
noise = random.normal(size=(150, 8))
time = random.exponential(size=150)
for columns in (1, 8):
    table = pd.DataFrame(noise[:, :columns]).add_prefix("x").assign(time=time, event=1)
    fit = WeibullAFTFitter().fit(table, "time", "event")
    counted = (fit.BIC_ + 2 * fit.log_likelihood_) / np.log(150), (fit.AIC_ + 2 * fit.log_likelihood_) / 2
    print(columns, "columns of noise, weights", fit.params_.size, "counted by BIC_ and AIC_", np.round(counted, 6))
    print("  BIC_", round(fit.BIC_, 2), "BIC", round(fit.params_.size * np.log(150) - 2 * fit.log_likelihood_, 2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
1 columns of noise, weights 3 counted by BIC_ and AIC_ [2. 3.]
  BIC_ 277.78 BIC 282.79
8 columns of noise, weights 10 counted by BIC_ and AIC_ [ 2. 10.]
  BIC_ 271.15 BIC 311.23
SEEN
echo "as described"
