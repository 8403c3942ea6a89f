#!/bin/sh
# LightGBM 4.7.0 and XGBoost 3.2.0: their ndcg ranks equal scores in the order of rows. A model of constant scores has nDCG 1
# where a file lists the relevant documents first, as many do. scikit-learn gives ties the mean of their gains.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 xgboost-cpu==3.2.0 lightgbm==4.7.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import lightgbm
import numpy as np
import xgboost
from sklearn.metrics import ndcg_score

X, scores = np.zeros((6, 1)), np.zeros(6)
for y in (np.array([3, 2, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 2, 3])):
    table = lightgbm.Dataset(X, y, group=[6], init_score=scores, params={"verbose": -1})
    booster = lightgbm.Booster({"objective": "lambdarank", "metric": "ndcg", "eval_at": [6], "verbose": -1}, table)
    print("rows", y, "constant scores: lightgbm", round(booster.eval_train()[0][2], 3), end=" ")
    matrix = xgboost.DMatrix(X, y, qid=[0] * 6, base_margin=scores)
    booster = xgboost.train({"objective": "rank:ndcg", "eta": 0, "eval_metric": "ndcg"}, matrix, 1)
    print("xgboost", round(float(booster.eval(matrix).split(":")[-1]), 3), end=" ")
    print("scikit-learn", round(float(ndcg_score([2**y - 1], [scores])), 3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
rows [3 2 1 0 0 0] constant scores: lightgbm 1.0 xgboost 1.0 scikit-learn 0.645
rows [0 0 0 1 2 3] constant scores: lightgbm 0.435 xgboost 0.435 scikit-learn 0.645
SEEN
echo "as described"
