#!/bin/sh
# pulearn 0.2.0: predict_proba of ElkanotoPuClassifier divides the probabilities of both classes by its estimate of
# the share of positives that have labels. Rows sum to one over it, and probabilities are above 1, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pulearn==0.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from pulearn import ElkanotoPuClassifier
from sklearn.linear_model import LogisticRegression

random = np.random.default_rng(0)
X = random.normal(size=(4000, 1))
positive = random.random(4000) < 1 / (1 + np.exp(-2 * X[:, 0]))
for share in (0.9, 0.3):
    labels = np.where(positive & (random.random(4000) < share), 1, -1)
    model = ElkanotoPuClassifier(LogisticRegression(), hold_out_ratio=0.2, random_state=0).fit(X, labels)
    told = model.predict_proba([[-1.0], [0.0], [2.0]])
    print("share with labels", share, "probabilities", told.round(2).tolist(), "sums", told.sum(axis=1).round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
share with labels 0.9 probabilities [[1.43, 0.21], [0.95, 0.69], [0.08, 1.55]] sums [1.64 1.64 1.64]
share with labels 0.3 probabilities [[4.94, 0.29], [4.64, 0.6], [3.25, 1.99]] sums [5.24 5.24 5.24]
SEEN
echo "as described"
