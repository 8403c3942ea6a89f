#!/bin/sh
# cyanure 1.2.2: the probabilities of its logistic Classifier for two classes are the sigmoid of
# twice the score; the weights are those of scikit-learn's LogisticRegression.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check cyanure==1.2.2 scikit-learn==1.9.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
from cyanure.estimators import Classifier
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
peer = LogisticRegression(C=0.05, tol=1e-10).fit(X, y)
model = Classifier(loss="logistic", penalty="l2", lambda_1=0.1, tol=1e-12, max_iter=3000, verbose=False)
model.fit(X, y)
score = np.ravel(model.decision_function(X))
told = np.asarray(model.predict_proba(X))[:, 1]
print("scores alike", bool(np.allclose(score, peer.decision_function(X), atol=1e-4)))
print("sigmoid of the score", bool(np.allclose(told, 1 / (1 + np.exp(-score)))))
print("sigmoid of twice the score", bool(np.allclose(told, 1 / (1 + np.exp(-2 * score)))))
PROGRAM
diff "$folder/seen" - <<'SEEN'
scores alike True
sigmoid of the score False
sigmoid of twice the score True
SEEN
echo "as described"
