#!/bin/sh
# mlpack 4.8.0 in Python: lars_train takes points as rows, lars_predict takes them as columns. As many points
# as features go through with the predictions of other points, silently; any other number raises.
# linear_regression has rows in both, and the example in the documentation of LARS gives predict the rows of a
# table.
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
y = X @ [1.0, 2.0, -1.0] + 5
lars = mlpack.lars_train(input_=X, responses=y, lambda1=1e-9)["output_model"]
linear = mlpack.linear_regression_train(training=X, training_responses=y)["output_model"]
few = np.ascontiguousarray(X[:3])
print("targets", y[:3].round(3))
told = mlpack.linear_regression_predict(input_model=linear, test=few)["output_predictions"]
print("linear_regression", told.round(3))
for name, points in (("rows", few), ("columns", np.ascontiguousarray(few.T))):
    print("lars of", name, mlpack.lars_predict(input_model=lars, test=points)["predictions"].ravel().round(3))
try:
    mlpack.lars_predict(input_model=lars, test=np.ascontiguousarray(X[:4]))
except RuntimeError as error:
    print("lars of four rows:", type(error).__name__)
PROGRAM
diff "$folder/seen" - <<'SEEN'
targets [4.221 3.672 8.902]
linear_regression [4.221 3.672 8.902]
lars of rows [4.032 2.849 7.067]
lars of columns [4.221 3.672 8.902]
lars of four rows: RuntimeError
SEEN
echo "as described"
