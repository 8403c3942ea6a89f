#!/bin/sh
# SeqMetrics 2.0.0: mathews_corr_coeff has FP + FN under the root where the formula in its own documentation has TP + FN.
# It is above 1 for good predictions, and of two classes it gives two values where the formula has one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check SeqMetrics==2.0.0 numpy==2.0.1 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from SeqMetrics import mathews_corr_coeff
from sklearn.metrics import matthews_corrcoef

y = np.repeat([0, 1], [60, 40])
for wrong in (4, 10, 25):
    told = np.where(np.arange(100) < wrong, 1 - y, y)
    told[-2:] = 0
    values = mathews_corr_coeff(y, told).round(3), round(matthews_corrcoef(y, told), 3)
    print(f"{np.sum(told != y)} of 100 wrong: SeqMetrics {values[0]}, scikit-learn {values[1]}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
6 of 100 wrong: SeqMetrics [2.773 2.264], scikit-learn 0.877
12 of 100 wrong: SeqMetrics [1.718 1.402], scikit-learn 0.768
27 of 100 wrong: SeqMetrics [0.807 0.659], scikit-learn 0.541
SEEN
echo "as described"
