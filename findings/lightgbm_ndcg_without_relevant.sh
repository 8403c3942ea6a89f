#!/bin/sh
# LightGBM 4.7.0: a query in which no document is relevant has nDCG 1, where scikit-learn 1.9.1 gives
# it 0. Means over queries that have such ones are higher by their share.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 lightgbm==4.7.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import lightgbm
import numpy as np
from sklearn.metrics import ndcg_score

random = np.random.default_rng(0)
X, grades = random.normal(size=(40, 2)), np.repeat([0, 1], 20)
grades[30:] = 0
whole = lightgbm.Dataset(X, grades, group=[20, 20])
empty = whole.create_valid(X[:20], grades[:20], group=[20])
seen = {}
choices = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5], "verbose": -1}
lightgbm.train(choices, whole, 1, [empty], callbacks=[lightgbm.record_evaluation(seen)])
print("LightGBM", float(seen["valid_0"]["ndcg@5"][0]))
print("scikit-learn", float(ndcg_score([grades[:20]], [X[:20, 0]], k=5)))
PROGRAM
diff "$folder/seen" - <<'SEEN'
LightGBM 1.0
scikit-learn 0.0
SEEN
echo "as described"
