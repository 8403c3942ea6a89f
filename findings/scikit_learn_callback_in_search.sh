#!/bin/sh
# scikit-learn 1.9.1: with a ProgressBar on the inner estimator all fits of a GridSearchCV fail;
# cross_val_score of the same estimator works.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 rich==14.1.0
"$folder/env/bin/python" -W ignore - 2>&1 <<'PROGRAM' | grep -v " - fit " >"$folder/seen"
import numpy as np
from sklearn.callback import ProgressBar
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

X = np.random.default_rng(0).normal(size=(40, 3))
y = X[:, 0] > 0
model = LogisticRegression().set_callbacks(ProgressBar())
print("cross_val_score", cross_val_score(model, X, y, cv=3))
try:
    GridSearchCV(model, {"C": [1, 2]}, cv=3).fit(X, y)
    print("GridSearchCV fitted")
except ValueError as error:
    print("GridSearchCV", str(error).split("\n")[1])
PROGRAM
diff "$folder/seen" - <<'SEEN'
cross_val_score [1. 1. 1.]
GridSearchCV All the 6 fits failed.
SEEN
echo "as described"
