#!/bin/sh
# scikit-learn 1.9.1: LogisticRegressionCV with scoring="f1" and the labels 1 and 2 chooses C by the
# F1 of class 2, and its own score(), by the same parameter, is the F1 of class 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import f1_score

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
y = np.where(X[:, 0] + rng.normal(size=60) > 1, 2, 1)
folds = [(np.arange(40), np.arange(40, 60))]
search = LogisticRegressionCV(Cs=[1.0], scoring="f1", cv=folds).fit(X, y)
(scores,) = search.scores_.values() if isinstance(search.scores_, dict) else (search.scores_,)
part = LogisticRegression(C=1.0).fit(X[:40], y[:40]).predict(X[40:])
of_fold = {k: f1_score(y[40:], part, pos_label=k) for k in (1, 2)}
of_all = {k: f1_score(y, search.predict(X), pos_label=k) for k in (1, 2)}
found, told = float(np.ravel(scores)[0]), search.score(X, y)
print("the two classes differ", abs(of_fold[1] - of_fold[2]) > 0.1, abs(of_all[1] - of_all[2]) > 0.1)
print("the search is of class", [k for k in (1, 2) if abs(of_fold[k] - found) < 1e-9])
print("score() is of class", [k for k in (1, 2) if abs(of_all[k] - told) < 1e-9])
PROGRAM
diff "$folder/seen" - <<'SEEN'
the two classes differ True True
the search is of class [2]
score() is of class [1]
SEEN
echo "as described"
