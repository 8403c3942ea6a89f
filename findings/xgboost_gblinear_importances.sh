#!/bin/sh
# XGBoost 3.2.0: feature_importances_ of the linear booster are the weights over their sum. Where the sum
# is below 0 all signs change, and where it is near 0 they are of any size.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 xgboost-cpu==3.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import xgboost

random = np.random.default_rng(0)
X = random.normal(size=(200, 3))
for weights in ([1, -2, 0.5], [2, -2, 0.001]):
    model = xgboost.XGBRegressor(booster="gblinear", updater="coord_descent", n_estimators=300, learning_rate=1)
    model.set_params(reg_lambda=0, n_jobs=1).fit(X, X @ weights)
    print("weights", model.coef_.round(3), "importances", (model.feature_importances_ + 0.0).round(1))
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights [ 1.  -2.   0.5] importances [-2.  4. -1.]
weights [ 2.e+00 -2.e+00  1.e-03] importances [ 2.e+03 -2.e+03  1.e+00]
SEEN
echo "as described"
