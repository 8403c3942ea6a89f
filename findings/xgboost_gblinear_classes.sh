#!/bin/sh
# XGBoost 3.2.0: coef_ of a linear booster of several classes has a row for each class, and holds the
# weights in the order of features: row k is not that of class k. coef_.reshape(features, classes) gives
# the scores. With several targets of a regression coef_ has one dimension.
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
X = random.normal(size=(300, 2))
labels = np.argmax(X @ [[3, -3, 0], [0, 0, 3]] + random.gumbel(size=(300, 3)), axis=1)
model = xgboost.XGBClassifier(booster="gblinear", updater="coord_descent", n_estimators=500, reg_lambda=0.01)
model.set_params(n_jobs=1).fit(X, labels)
print("coef_", model.coef_.round(1).tolist())
print("multinomial", LogisticRegression(C=1 / (0.01 * 300)).fit(X, labels).coef_.round(1).tolist())
scores = model.predict(X, output_margin=True)
for name, weights in (("coef_.T", model.coef_.T), ("coef_.reshape(2, 3)", model.coef_.reshape(2, 3))):
    rest = scores - X @ weights
    print("scores - X @", name, "is constant:", bool(np.ptp(rest, axis=0).max() < 1e-3))
targets = X @ [[1, 2, 3], [4, 5, 6]]
print("three targets", xgboost.XGBRegressor(booster="gblinear", n_jobs=1).fit(X, targets).coef_.shape)
PROGRAM
diff "$folder/seen" - <<'SEEN'
coef_ [[1.7, -1.8], [0.1, -0.6], [-0.9, 1.6]]
multinomial [[1.7, -0.6], [-1.8, -0.9], [0.1, 1.6]]
scores - X @ coef_.T is constant: False
scores - X @ coef_.reshape(2, 3) is constant: True
three targets (6,)
SEEN
echo "as described"
