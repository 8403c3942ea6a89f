#!/bin/sh
# XGBoost 3.2.0: intercept_ of the linear booster leaves base_score out, which is the mean of the targets
# where none is given. So coef_ and intercept_ do not give the predictions, though trees' intercept_ is
# base_score. Both parts are in the predictions: their sum is the intercept of ridge regression.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 xgboost-cpu==3.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import xgboost
from sklearn.linear_model import Ridge

random = np.random.default_rng(0)
X = random.normal(size=(200, 2))
y = X @ [1, -2] + 7 + random.normal(size=200)
model = xgboost.XGBRegressor(booster="gblinear", updater="coord_descent", n_estimators=300, learning_rate=1)
model.set_params(reg_lambda=0.1, n_jobs=1).fit(X, y)
ridge = Ridge(alpha=0.1 * 200).fit(X, y)
print("coef_", model.coef_.round(3), "ridge", ridge.coef_.round(3))
print("intercept_", model.intercept_.round(3), "ridge", ridge.intercept_.round(3), "mean target", y.mean().round(3))
print("predict(X) - X @ coef_", np.unique((model.predict(X) - X @ model.coef_).round(3)))
PROGRAM
diff "$folder/seen" - <<'SEEN'
coef_ [ 0.851 -1.707] ridge [ 0.851 -1.707]
intercept_ [0.126] ridge 6.983 mean target 6.858
predict(X) - X @ coef_ [6.983]
SEEN
echo "as described"
