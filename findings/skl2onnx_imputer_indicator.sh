#!/bin/sh
# skl2onnx 1.20.0: SimpleImputer(add_indicator=True) is written without the columns that tell what was missing, and a
# linear regression behind it without their weights: where values are missing the predictions are others,
# silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 onnx==1.23.2 onnxruntime==1.32.0 skl2onnx==1.20.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

random = np.random.default_rng(0)
X = random.normal(size=(60, 2)).astype(np.float32)
missing = np.arange(60) % 3 == 0
y = X @ [1, -2] + 5 * missing
X[missing, 1] = np.nan


def onnx(model):
    return onnxruntime.InferenceSession(to_onnx(model, X[:1]).SerializeToString()).run(None, {"X": X})[0]


imputer = SimpleImputer(add_indicator=True).fit(X)
print("columns: onnx", onnx(imputer).shape[1], "scikit-learn", imputer.transform(X).shape[1])
model = make_pipeline(SimpleImputer(add_indicator=True), Ridge()).fit(X, y)
print("onnx", onnx(model)[:4].ravel().astype(float).round(2), "scikit-learn", model.predict(X[:4]).round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
columns: onnx 2 scikit-learn 3
onnx [-0.    0.41 -1.02  0.93] scikit-learn [ 4.32  0.41 -1.02  5.25]
SEEN
echo "as described"
