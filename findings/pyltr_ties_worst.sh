#!/bin/sh
# pyltr 0.2.6: all its metrics rank documents of equal scores in the worst order, the least relevant first. The AUC of
# constant scores is 0, not 0.5, and Kendall's tau is below 0. Its README does not say so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pyltr==0.2.6 six==1.17.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import pyltr
from sklearn.metrics import ndcg_score, roc_auc_score

queries, relevance = np.ones(4), np.array([1, 0, 1, 0])
for scores in (np.array([4.0, 2, 3, 1]), np.array([2.0, 1, 1, 0]), np.zeros(4)):
    told = [metric.calc_mean(queries, relevance, scores) for metric in (pyltr.metrics.AUCROC(), pyltr.metrics.NDCG(k=4))]
    others = [roc_auc_score(relevance, scores), ndcg_score([relevance], [scores])]
    print(scores, "AUC and nDCG: pyltr", np.round(told, 3), "scikit-learn", np.round(others, 3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
[4. 2. 3. 1.] AUC and nDCG: pyltr [1. 1.] scikit-learn [1. 1.]
[2. 1. 1. 0.] AUC and nDCG: pyltr [0.75 0.92] scikit-learn [0.875 0.96 ]
[0. 0. 0. 0.] AUC and nDCG: pyltr [0.    0.571] scikit-learn [0.5   0.785]
SEEN
echo "as described"
