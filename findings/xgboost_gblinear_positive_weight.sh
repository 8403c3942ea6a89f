#!/bin/sh
# XGBoost 3.2.0: scale_pos_weight of the linear booster is not the same as these weights of examples: the
# penalty is multiplied by the sum of weights, in which scale_pos_weight does not count. With weights 5
# of the positive examples the penalty is about 3 times larger.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 xgboost-cpu==3.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import xgboost
from sklearn.linear_model import LogisticRegression

random = np.random.default_rng(0)
X = random.normal(size=(200, 2))
y = (X @ [2, -1] + random.logistic(size=200) > 0).astype(int)
weights = np.where(y == 1, 5.0, 1.0)


def fit(weights, **choices):
    model = xgboost.XGBClassifier(booster="gblinear", updater="coord_descent", n_estimators=500, learning_rate=1)
    model.set_params(reg_lambda=0.1, n_jobs=1, **choices)
    return model.fit(X, y, sample_weight=weights).coef_.ravel().round(2)


def logistic(penalty):
    return LogisticRegression(C=1 / penalty, tol=1e-9).fit(X, y, weights).coef_[0].round(2)


print("sample_weight", fit(weights), "penalty 0.1 * sum of weights", logistic(0.1 * weights.sum()))
print("scale_pos_weight", fit(None, scale_pos_weight=5), "penalty 0.1 * examples", logistic(0.1 * 200))
PROGRAM
diff "$folder/seen" - <<'SEEN'
sample_weight [ 0.82 -0.37] penalty 0.1 * sum of weights [ 0.82 -0.37]
scale_pos_weight [ 1.35 -0.62] penalty 0.1 * examples [ 1.35 -0.62]
SEEN
echo "as described"
