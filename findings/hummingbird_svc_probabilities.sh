#!/bin/sh
# hummingbird 0.4.12: predict_proba of a converted SVC gives the labels, in one dimension, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 torch==2.14.1 hummingbird-ml==0.4.12
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import hummingbird.ml
import numpy as np
from sklearn.svm import SVC

random = np.random.default_rng(0)
X = random.normal(size=(60, 2)).astype(np.float32)
y = 5 + (X[:, 0] + random.normal(size=60) > 0)
for probability in (True, False):
    model = SVC(kernel="linear", probability=probability, random_state=0).fit(X, y)
    told = hummingbird.ml.convert(model, "torch", X)
    print("probability", probability, "predict", told.predict(X)[:6], "predict_proba", told.predict_proba(X)[:6])
PROGRAM
diff "$folder/seen" - <<'SEEN'
probability True predict [5 6 5 6 5 5] predict_proba [5 6 5 6 5 5]
probability False predict [5 6 5 6 5 5] predict_proba [5 6 5 6 5 5]
SEEN
echo "as described"
