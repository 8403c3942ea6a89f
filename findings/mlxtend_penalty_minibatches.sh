#!/bin/sh
# mlxtend 0.25.0: LogisticRegression's l2_lambda is added in each minibatch to the gradient of this batch's sum: with
# ten batches the penalty is ten times that of one batch, at convergence. The cost that it reports has it once.
# With one batch it is that of scikit-learn with C=1/l2_lambda.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check mlxtend==0.25.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
from mlxtend.classifier import LogisticRegression
from sklearn import linear_model

random = np.random.default_rng(0)
X = random.normal(size=(100, 2))
t = (X @ [2.0, -1.0] + 0.7 + random.logistic(size=100) > 0).astype(int)
for batches in (1, 10):
    model = LogisticRegression(eta=0.002, epochs=6000, l2_lambda=0.5, minibatches=batches, random_seed=1).fit(X, t)
    print(f"mlxtend l2_lambda=0.5 minibatches={batches}", np.append(model.w_, model.b_).round(2))
for penalty in (0.5, 5.0):
    model = linear_model.LogisticRegression(C=1 / penalty, tol=1e-9).fit(X, t)
    print(f"scikit-learn C=1/{penalty}", np.append(model.coef_, model.intercept_).round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
mlxtend l2_lambda=0.5 minibatches=1 [ 2.05 -0.97  1.17]
mlxtend l2_lambda=0.5 minibatches=10 [ 1.27 -0.57  0.89]
scikit-learn C=1/0.5 [ 2.05 -0.97  1.17]
scikit-learn C=1/5.0 [ 1.27 -0.57  0.89]
SEEN
echo "as described"
