#!/bin/sh
# survivalpredict 0.0.4: the weights of CoxProportionalHazard(ties="efron") are not those of Efron's likelihood,
# which lifelines 0.30.3 finds, where times tie.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 jax==0.10.2 optax==0.2.8 numba==0.65.1 pymc==5.28.5 pymc-extras==0.10.0 survivalpredict==0.0.4 lifelines==0.30.3 pandas==2.3.3
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pandas as pd
from lifelines import CoxPHFitter
from survivalpredict.estimators import CoxProportionalHazard

random = np.random.default_rng(0)
x = random.normal(size=80)
drawn = random.exponential(np.exp(-x))
events = random.random(80) < 0.7
for name, times in (("no ties", drawn.argsort().argsort() + 1), ("ties", np.ceil(4 * drawn).astype(int))):
    table = pd.DataFrame({"x": x, "time": times, "event": events})
    print(name, "lifelines", CoxPHFitter().fit(table, "time", "event").params_.to_numpy().round(3), end=" ")
    for ties in ("efron", "breslow"):
        model = CoxProportionalHazard(ties=ties)
        model.fit(x[:, np.newaxis], times.astype(np.int64), events)
        print(ties, model.coef_.round(3), end=" ")
    print()
PROGRAM
diff "$folder/seen" - <<'SEEN'
no ties lifelines [1.223] efron [1.223] breslow [1.223] 
ties lifelines [1.171] efron [1.156] breslow [1.072] 
SEEN
echo "as described"
