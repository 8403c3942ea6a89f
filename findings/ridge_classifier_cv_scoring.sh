#!/bin/sh
# scikit-learn 1.9.1: RidgeClassifierCV with a scoring and cv=None scores two classes wrongly. All
# examples left out count as the first class, on both sides, so that every alpha has the accuracy 1
# and the first one is chosen. The accuracy of leaving each example out by hand is 0 here.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sklearn.linear_model import RidgeClassifier, RidgeClassifierCV
from sklearn.model_selection import LeaveOneOut, cross_val_score

X = np.array([[0.0], [1.0], [2.0], [3.0], [0.5], [1.5], [2.5], [3.5]])
y = np.array([0, 1, 0, 1, 1, 0, 1, 0])
search = RidgeClassifierCV(alphas=[0.1, 1.0, 10.0], scoring="accuracy").fit(X, y)
print("chosen by accuracy", search.alpha_, search.best_score_)
for alpha in (0.1, 1.0, 10.0):
    scores = cross_val_score(RidgeClassifier(alpha), X, y, cv=LeaveOneOut())
    print("by hand", alpha, scores.mean())
PROGRAM
diff "$folder/seen" - <<'SEEN'
chosen by accuracy 0.1 1.0
by hand 0.1 0.0
by hand 1.0 0.0
by hand 10.0 0.0
SEEN
echo "as described"
