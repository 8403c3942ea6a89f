#!/bin/sh
# pyod 3.6.7: predict of OCSVM flags the share `contamination` of the training rows, a tenth unless it is given,
# whatever nu is, since the threshold of the one-class machine is replaced by a quantile of scores. nu still changes
# the scores. scikit-learn's OneClassSVM, which it wraps, flags about the share nu.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pyod==3.6.7
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from pyod.models.ocsvm import OCSVM
from sklearn.svm import OneClassSVM

X = np.random.default_rng(0).normal(size=(400, 2))
for nu in (0.02, 0.1, 0.5):
    flagged = OCSVM(nu=nu).fit(X).predict(X).mean()
    print("nu", nu, "flagged by pyod", round(float(flagged), 2), "by scikit-learn", round(float((OneClassSVM(nu=nu).fit(X).predict(X) < 0).mean()), 2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
nu 0.02 flagged by pyod 0.1 by scikit-learn 0.04
nu 0.1 flagged by pyod 0.1 by scikit-learn 0.11
nu 0.5 flagged by pyod 0.1 by scikit-learn 0.5
SEEN
echo "as described"
