#!/bin/sh
# hummingbird-ml 0.4.12 with scikit-learn 1.9.1: probabilities of LogisticRegression of three classes are sigmoids over
# their sum, as for one-vs-rest, where scikit-learn has a softmax. Labels are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 torch==2.14.1 hummingbird-ml==0.4.12
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from hummingbird.ml import convert
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

random = np.random.default_rng(0)
X = random.normal(size=(150, 2)).astype(np.float32)
labels = np.digitize(X @ [2, -2] + random.normal(size=150), [-1, 1])
model = LogisticRegression().fit(X, labels)
rows = X[:3]
print("scikit-learn", model.predict_proba(rows).astype(float).round(3).tolist())
print("hummingbird", convert(model, "torch", rows).predict_proba(rows).astype(float).round(3).tolist())
sigmoids = expit(model.decision_function(rows))
print("sigmoids over their sum", (sigmoids / sigmoids.sum(axis=1, keepdims=True)).astype(float).round(3).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
scikit-learn [[0.115, 0.529, 0.356], [0.055, 0.48, 0.466], [0.703, 0.28, 0.018]]
hummingbird [[0.194, 0.435, 0.372], [0.125, 0.44, 0.435], [0.522, 0.411, 0.067]]
sigmoids over their sum [[0.194, 0.435, 0.372], [0.125, 0.44, 0.435], [0.522, 0.411, 0.067]]
SEEN
echo "as described"
