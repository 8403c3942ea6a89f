#!/bin/sh
# SeqMetrics 2.0.0: f2_score divides by 4 (precision + recall), where the formula in its own documentation, and that of
# scikit-learn to which it links, divide by 4 precision + recall. A perfect prediction has the score 0.625.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check SeqMetrics==2.0.0 numpy==2.0.1 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from SeqMetrics import f1_score, f2_score
from sklearn.metrics import fbeta_score

y = np.repeat([0, 1], [60, 40])
for wrong in (0, 4, 25):
    told = np.where(np.arange(100) < wrong, 1 - y, y)
    print(f"{wrong} of 100 wrong:")
    for name, beta, score in (("F1", 1, f1_score), ("F2", 2, f2_score)):
        print(f"  {name} SeqMetrics", score(y, told).round(3), "scikit-learn", fbeta_score(y, told, beta=beta, average=None).round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
0 of 100 wrong:
  F1 SeqMetrics [1. 1.] scikit-learn [1. 1.]
  F2 SeqMetrics [0.625 0.625] scikit-learn [1. 1.]
4 of 100 wrong:
  F1 SeqMetrics [0.966 0.952] scikit-learn [0.966 0.952]
  F2 SeqMetrics [0.603 0.595] scikit-learn [0.946 0.98 ]
25 of 100 wrong:
  F1 SeqMetrics [0.737 0.762] scikit-learn [0.737 0.762]
  F2 SeqMetrics [0.461 0.476] scikit-learn [0.636 0.889]
SEEN
echo "as described"
