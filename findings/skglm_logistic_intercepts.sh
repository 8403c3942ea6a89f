#!/bin/sh
# skglm 0.5: SparseLogisticRegression of three classes predicts without intercepts, without a word, although
# fit_intercept is True: each class against the rest is fitted with one, and intercept_ is 0. Of two classes the
# intercept is there. The same class within OneVsRestClassifier has the same weights, and the intercepts.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check skglm==0.5 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from skglm import SparseLogisticRegression
from sklearn.multiclass import OneVsRestClassifier

X = np.random.default_rng(0).normal(size=(90, 2))
y = np.digitize(X[:, 0], [1.0, 1.6])
model = SparseLogisticRegression(alpha=0.01, tol=1e-10).fit(X, y)
peer = OneVsRestClassifier(SparseLogisticRegression(alpha=0.01, tol=1e-10)).fit(X, y)
print("weights alike", bool(np.allclose(model.coef_, np.vstack([each.coef_ for each in peer.estimators_]))))
print("intercepts", model.intercept_, [round(float(each.intercept_), 2) for each in peer.estimators_])
print(f"accuracy {model.score(X, y):.2f}, by OneVsRestClassifier {peer.score(X, y):.2f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
weights alike True
intercepts 0 [6.22, -3.86, -7.0]
accuracy 0.52, by OneVsRestClassifier 0.96
SEEN
echo "as described"
