#!/bin/sh
# asgl 2.2.0: a regression of several targets at once has one intercept for all of them. Of a target
# with the mean 0 and another with the mean 10 the predictions have means near 5, without a penalty
# and without a word; a fit of each target alone gives 0 and 10.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 cvxpy==1.9.3 asgl==2.2.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from asgl import Regressor
from sklearn.linear_model import LinearRegression

random = np.random.default_rng(0)
X = random.normal(size=(50, 2))
X -= X.mean(axis=0)
Y = np.column_stack([X[:, 0], X[:, 1] + 10.0])
both = Regressor(model="lm", penalization=None).fit(X, Y)
alone = [Regressor(model="lm", penalization=None).fit(X, y) for y in Y.T]
print("asgl, both targets", np.round(both.intercept_, 3), "R2", round(both.score(X, Y), 3))
print("asgl, each alone", np.round([model.intercept_ for model in alone], 3) + 0.0)
print("scikit-learn", LinearRegression().fit(X, Y).intercept_.round(3) + 0.0)
PROGRAM
diff "$folder/seen" - <<'SEEN'
asgl, both targets 5.0 R2 -26.376
asgl, each alone [ 0. 10.]
scikit-learn [ 0. 10.]
SEEN
echo "as described"
