#!/bin/sh
# scikit-learn 1.9.1: where classes overlap, the optimum of NuSVC with a small nu is w = 0 with the margin 0. LIBSVM divides
# the weights by that margin, so that the model is rounding noise of any size: another order of the rows gives another
# model. It says nothing; only a nu that is too large is refused.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from sklearn.svm import NuSVC

random = np.random.default_rng(0)
X = random.normal(size=(60, 2))
y = (X[:, 0] + random.normal(size=60) > 0).astype(int)
first, last = np.arange(60), np.arange(60)[::-1]
for nu in (0.7, 0.3):
    models = [NuSVC(kernel="linear", nu=nu, tol=1e-6).fit(X[order], y[order]) for order in (first, last)]
    norms = [np.linalg.norm(model.coef_) for model in models]
    differ = np.mean(models[0].predict(X) != models[1].predict(X))
    print("nu", nu, "norm of weights above 5", [bool(norm > 5) for norm in norms], end=" ")
    print("labels that change with the order of rows above a tenth", bool(differ > 0.1))
PROGRAM
diff "$folder/seen" - <<'SEEN'
nu 0.7 norm of weights above 5 [False, False] labels that change with the order of rows above a tenth False
nu 0.3 norm of weights above 5 [True, False] labels that change with the order of rows above a tenth True
SEEN
echo "as described"
