#!/bin/sh
# python-glmnet 2.6.1: the first value of a lambda_path that was given is replaced by one drawn from the next
# two, as is needed where glmnet chooses the path itself. The weights of the first value are right, and
# predict at it gives a model between this one and the next, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 python-glmnet==2.6.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from glmnet import ElasticNet
from sklearn.linear_model import Lasso

random = np.random.default_rng(0)
X = random.normal(size=(150, 4))
y = X @ [1.0, 2.0, 0.0, -1.0] + 3
path = [1.0, 0.5, 0.01]
model = ElasticNet(alpha=1, lambda_path=path, n_splits=0, standardize=False).fit(X, y)
print("given", path, "kept", model.lambda_path_.round(4).tolist())
print("predict", np.ravel(model.predict(X[:1], lamb=path)).round(4))
print("weights", (X[:1] @ model.coef_path_ + model.intercept_path_).ravel().round(4))
print("Lasso  ", np.concatenate([Lasso(alpha=each).fit(X, y).predict(X[:1]) for each in path]).round(4))
PROGRAM
diff "$folder/seen" - <<'SEEN'
given [1.0, 0.5, 0.01] kept [25.0, 0.5, 0.01]
predict [2.7763 2.7757 2.757 ]
weights [2.8044 2.7757 2.757 ]
Lasso   [2.8044 2.7757 2.757 ]
SEEN
echo "as described"
