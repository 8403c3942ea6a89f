#!/bin/sh
# scikit-lego 0.9.10: OrdinalClassifier takes differences of the probabilities of binary classifiers, fitted apart, for
# those of the middle classes, silently: they are below 0 where the classifiers disagree, as where a feature changes the
# spread of the classes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 scikit-lego==0.9.10
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklego.meta import OrdinalClassifier

random = np.random.default_rng(0)
X = random.normal(size=(400, 2))
score = X[:, 0] + random.normal(size=400) * np.exp(X[:, 1])
y = np.digitize(score, [-0.3, 0.3])
told = OrdinalClassifier(LogisticRegression(), n_jobs=None).fit(X, y).predict_proba(X)
print("rows with probabilities below 0:", (told < 0).any(axis=1).sum(), "the least", told[told[:, 1].argmin()].round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
rows with probabilities below 0: 1 the least [ 0.56  -0.041  0.482]
SEEN
echo "as described"
