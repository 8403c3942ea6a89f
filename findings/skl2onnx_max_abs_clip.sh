#!/bin/sh
# skl2onnx 1.20.0: MaxAbsScaler(clip=True) is converted without the clip, silently, and a linear model behind it
# predicts other values where features are larger than those of the fit. The clip of MinMaxScaler is converted.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

X = np.linspace(-1, 1, 20, dtype=np.float32)[:, None]
rows = np.array([[0.5], [3.0]], dtype=np.float32)
for scaler in (MaxAbsScaler(clip=True), MinMaxScaler(clip=True)):
    model = make_pipeline(scaler, LinearRegression()).fit(X, 2 * X[:, 0])
    told = onnxruntime.InferenceSession(to_onnx(model, rows).SerializeToString()).run(None, {"X": rows})[0]
    print(scaler, "scikit-learn", model.predict(rows).round(2), "onnx", told.ravel().round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
MaxAbsScaler(clip=True) scikit-learn [1. 2.] onnx [1. 6.]
MinMaxScaler(clip=True) scikit-learn [1. 2.] onnx [1. 2.]
SEEN
echo "as described"
