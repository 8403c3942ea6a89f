#!/bin/sh
# statsmodels 0.15.0: PHReg.fit_regularized has no Efron ties. With ties="efron" fit gives other
# weights than with "breslow", as it should; fit_regularized gives the same for both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import statsmodels.api as sm

random = np.random.default_rng(0)
X = random.normal(size=(60, 2))
times = np.ceil(3 * random.exponential(size=60))
events = (random.random(60) < 0.8).astype(int)
for ties in ("breslow", "efron"):
    model = sm.PHReg(times, X, status=events, ties=ties)
    print(ties, model.fit().params.round(4), model.fit_regularized(alpha=0.01).params.round(4))
PROGRAM
diff "$folder/seen" - <<'SEEN'
breslow [0.0601 0.2519] [0.0473 0.2417]
efron [0.0629 0.2777] [0.0473 0.2417]
SEEN
echo "as described"
