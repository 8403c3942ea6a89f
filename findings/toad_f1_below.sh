#!/bin/sh
# toad 0.1.7: metrics.F1 takes scores below the split for class 1, while AUC and KS of the same module take high
# scores for it. A score that ranks every example of class 1 above the others has AUC 1 and F1 0 at any split.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check toad==0.1.7 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from sklearn.metrics import f1_score
from toad.metrics import AUC, F1

y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
for name, scores in (("perfect", np.arange(8) / 10), ("good", np.array([0, 1, 2, 4, 3, 5, 6, 7]) / 10)):
    told = [F1(scores, y, split=split) for split in (0.25, 0.35, 0.45)]
    right = [f1_score(y, scores >= split) for split in (0.25, 0.35, 0.45)]
    print(name, "AUC", AUC(scores, y), "toad F1", np.round(told, 3), "scikit-learn", np.round(right, 3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
perfect AUC 1.0 toad F1 [0.    0.    0.222] scikit-learn [0.889 1.    0.857]
good AUC 0.9375 toad F1 [0.    0.25  0.222] scikit-learn [0.889 0.75  0.857]
SEEN
echo "as described"
