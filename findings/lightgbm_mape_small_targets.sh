#!/bin/sh
# LightGBM 4.7.0: the metric mape divides by the larger of 1 and |y|, so that it is the absolute
# error for targets below 1, and depends on their unit. The mean absolute percentage error of
# scikit-learn 1.9.1 and XGBoost divides by |y|. Predictions here are 50% too high.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 lightgbm==4.7.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import lightgbm
import numpy as np
from sklearn.metrics import mean_absolute_percentage_error

y = np.linspace(1.0, 2.0, 20)
for unit in (100.0, 1.0, 0.01):
    target = unit * y
    data = lightgbm.Dataset(np.zeros((20, 1)), target, init_score=1.5 * target)
    seen = {}
    choices = {"objective": "regression", "metric": "mape", "verbose": -1}
    lightgbm.train(choices, data, 1, [data], callbacks=[lightgbm.record_evaluation(seen)])
    other = mean_absolute_percentage_error(target, 1.5 * target)
    print(f"{unit:g} LightGBM {seen['training']['mape'][0]:.4f} scikit-learn {other:.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
100 LightGBM 0.5000 scikit-learn 0.5000
1 LightGBM 0.5000 scikit-learn 0.5000
0.01 LightGBM 0.0075 scikit-learn 0.5000
SEEN
echo "as described"
