#!/bin/sh
# scikit-learn 1.9.1: above l1_min_c the model "is guaranteed not to be empty", also for LogisticRegression. With a
# free intercept, as solver="saga" has it, that is not so: where classes are unequal all weights stay 0 at
# several times this C. The bound holds for liblinear, whose intercept is one more feature with a penalty.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import l1_min_c

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
X = random.normal(size=(200, 3)) + [2, 0, 0]
y = (X[:, 1] + random.normal(size=200) > 1.8).astype(int)
least = l1_min_c(X, y, loss="log")
slopes = X.T @ (y - y.mean())
print("share of the second class", y.mean(), "by hand the least C is", round(1 / np.abs(slopes).max() / least, 2), "times")
for times in (0.99, 1.01, 5, 6.5):
    for solver in ("liblinear", "saga"):
        model = LogisticRegression(l1_ratio=1, solver=solver, C=times * least, tol=1e-8, max_iter=20000).fit(X, y)
        print(times, solver, "nonzero weights", np.count_nonzero(model.coef_))
PROGRAM
diff "$folder/seen" - <<'SEEN'
share of the second class 0.095 by hand the least C is 6.32 times
0.99 liblinear nonzero weights 0
0.99 saga nonzero weights 0
1.01 liblinear nonzero weights 1
1.01 saga nonzero weights 0
5 liblinear nonzero weights 1
5 saga nonzero weights 0
6.5 liblinear nonzero weights 1
6.5 saga nonzero weights 1
SEEN
echo "as described"
