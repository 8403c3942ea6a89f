#!/bin/sh
# polars-ds 0.13.0: logistic_reg with l1_reg has the penalty on the bias too, with l2_reg it has none. Not said
# in its documentation. lin_reg has a free bias with both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check polars-ds==0.13.0 polars==1.42.1 numpy==2.4.6 scipy==1.17.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import polars as pl
import polars_ds as pds
from scipy.special import expit

random = np.random.default_rng(0)
X = random.normal(size=(80, 2))
t = (X @ [1.0, -1.0] - 2 + random.logistic(size=80) > 0).astype(float)
table = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "t": t, "y": X @ [1.0, -1.0] - 2 + random.normal(size=80)})
for name, amount in (("l1_reg", 0.02), ("l2_reg", 0.02)):
    form = pds.logistic_reg("a", "b", target="t", tol=1e-9, max_iter=10000, **{name: amount})
    weights = np.array(table.select(form).to_series()[0])
    slope = np.mean(expit(X @ weights[:2] + weights[2]) - t)
    print(f"logistic {name} slope of the mean loss in the bias {abs(slope):.4f}")
    form = pds.lin_reg("a", "b", target="y", add_bias=True, tol=1e-9, max_iter=10000, **{name: amount})
    weights = np.array(table.select(form).to_series()[0])
    slope = np.mean(X @ weights[:2] + weights[2] - table["y"].to_numpy())
    print(f"linear {name} slope of the mean loss in the bias {abs(slope):.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
logistic l1_reg slope of the mean loss in the bias 0.0200
linear l1_reg slope of the mean loss in the bias 0.0000
logistic l2_reg slope of the mean loss in the bias 0.0000
linear l2_reg slope of the mean loss in the bias 0.0000
SEEN
echo "as described"
