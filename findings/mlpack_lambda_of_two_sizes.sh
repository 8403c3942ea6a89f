#!/bin/sh
# mlpack 4.8.0: the same lambda_ is added to the sum of losses by logistic_regression and to their mean by
# softmax_regression. With all rows taken twice the first gives the same probabilities for twice the lambda_,
# the second for the same. The documentation calls both the L2 regularization and does not say how it is
# scaled.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check mlpack==4.8.0 numpy==2.4.6 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import mlpack
import numpy as np

random = np.random.default_rng(0)
X = random.normal(size=(60, 3))
y = (X[:, 0] + 0.5 * random.normal(size=60) > 0).astype(np.uintp)
test = np.ascontiguousarray(X[:3])
for copies, penalty in ((1, 0.5), (2, 0.5), (2, 1.0)):
    data = {"training": np.tile(X, (copies, 1)), "labels": np.tile(y, copies), "lambda_": penalty}
    model = mlpack.logistic_regression_train(**data)["output_model"]
    logistic = mlpack.logistic_regression_probabilities(input_model=model, test=test)["probabilities"][:, 1]
    softmax = mlpack.softmax_regression(**data, test=test, max_iterations=10000)["probabilities"][:, 1]
    print(f"{copies} times, lambda_={penalty}: logistic {logistic.round(3)} softmax {softmax.round(3)}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
1 times, lambda_=0.5: logistic [0.508 0.397 0.966] softmax [0.506 0.473 0.722]
2 times, lambda_=0.5: logistic [0.513 0.389 0.979] softmax [0.506 0.473 0.722]
2 times, lambda_=1.0: logistic [0.508 0.397 0.966] softmax [0.503 0.482 0.65 ]
SEEN
echo "as described"
