#!/bin/sh
# LightGBM 4.7.0: the metric gamma_deviance is the sum over examples, where its other metrics are
# means: ten copies of the data make it ten times as large. XGBoost 3.2.0 and scikit-learn 1.9.1
# give the mean. The documentation of LightGBM calls it the residual deviance, without a sum.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 lightgbm==4.7.0 xgboost-cpu==3.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import lightgbm
import numpy as np
import xgboost
from sklearn.metrics import mean_gamma_deviance

random = np.random.default_rng(0)
X, y = np.zeros((20, 1)), random.gamma(2.0, 1.0, 20)
for copies in (1, 10):
    Z, z = np.tile(X, (copies, 1)), np.tile(y, copies)
    choices = {"objective": "gamma", "metric": ["gamma_deviance", "gamma", "rmse"], "verbose": -1}
    data, seen = lightgbm.Dataset(Z, z), {}
    model = lightgbm.train(
        choices, data, 1, [data], callbacks=[lightgbm.record_evaluation(seen)]
    )
    numbers = {name: round(float(values[0]), 3) for name, values in seen["training"].items()}
    start = float(model.predict(Z)[0])
    matrix = xgboost.DMatrix(Z, z)
    choices = {"objective": "reg:gamma", "base_score": start, "eval_metric": "gamma-deviance"}
    other = xgboost.train(choices, matrix, 0).eval(matrix).split(":")[-1]
    own = mean_gamma_deviance(z, model.predict(Z))
    print(copies, "LightGBM", numbers)
    print(copies, f"XGBoost {float(other):.3f} scikit-learn {own:.3f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
1 LightGBM {'gamma_deviance': 9.274, 'gamma': 1.436, 'rmse': 0.964}
1 XGBoost 0.464 scikit-learn 0.464
10 LightGBM {'gamma_deviance': 92.738, 'gamma': 1.436, 'rmse': 0.964}
10 XGBoost 0.464 scikit-learn 0.464
SEEN
echo "as described"
