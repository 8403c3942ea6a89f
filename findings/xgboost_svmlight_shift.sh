#!/bin/sh
# xgboost 3.2.0: a DMatrix of an svmlight file whose indices begin with 1, as LIBSVM's do, has an empty column 0 that the
# matrix scikit-learn loads from the same file does not have. A model of the one takes the other, one column short,
# without a word, and predicts from shifted columns. The example in its documentation of the format begins with 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check xgboost==3.2.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import os
import tempfile

import numpy as np
import xgboost
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

random = np.random.default_rng(0)
X = random.normal(size=(200, 3))
y = X @ [1.0, 2.0, -3.0]
for first in (0, 1):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "train")
        dump_svmlight_file(X, y, path, zero_based=first == 0)
        read = xgboost.DMatrix(f"{path}?format=libsvm")
        loaded = load_svmlight_file(path)[0]
    options = {"booster": "gblinear", "updater": "coord_descent", "lambda": 0, "eta": 0.5, "nthread": 1}
    model = xgboost.train(options, read, 100)
    print(f"indices from {first}: columns of the file {read.num_col()}, of load_svmlight_file {loaded.shape[1]}")
    for name, rows in (("file", read), ("load_svmlight_file", xgboost.DMatrix(loaded))):
        print(f"  correlation with the target, {name}: {np.corrcoef(model.predict(rows), y)[0, 1]:.2f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
indices from 0: columns of the file 3, of load_svmlight_file 3
  correlation with the target, file: 1.00
  correlation with the target, load_svmlight_file: 1.00
indices from 1: columns of the file 4, of load_svmlight_file 3
  correlation with the target, file: 1.00
  correlation with the target, load_svmlight_file: -0.48
SEEN
echo "as described"
