#!/bin/sh
# permetrics 2.1.0: hinge_loss asks for predicted scores, and is wrong for those of a linear model. Of two
# classes it takes a score s for the pair (1 - s, s); of several classes the best other class is never below
# 0, as the entry of the right class is set to 0 and stays in the maximum.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 permetrics==2.1.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from permetrics import ClassificationMetric
from sklearn.metrics import hinge_loss

y = np.array([1, 1, 0, 0, 1])
scores = np.array([0.5, 2.0, -0.5, 0.2, -1.0])
print(f"two classes: permetrics {ClassificationMetric(y, scores).HGL():.4f}, scikit-learn {hinge_loss(y, scores):.4f}")
y = np.array([0, 1, 2, 0])
scores = np.array([[-0.5, -2.0, -3.0], [-3.0, -0.2, -0.9], [-1.0, -1.5, -0.1], [-2.0, -1.0, -3.0]])
for shift in (0, 10):
    told, right = ClassificationMetric(y, scores + shift).HGL(), hinge_loss(y, scores + shift)
    print(f"three classes, scores plus {shift}: permetrics {told:.4f}, scikit-learn {right:.4f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
two classes: permetrics 1.0800, scikit-learn 0.8400
three classes, scores plus 0: permetrics 1.7000, scikit-learn 0.6000
three classes, scores plus 10: permetrics 0.6000, scikit-learn 0.6000
SEEN
echo "as described"
