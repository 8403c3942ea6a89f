#!/bin/sh
# skl2onnx 1.20.0 divides by the largest value of a row for scikit-learn's Normalizer(norm="max"),
# which divides by the largest absolute value: a row of negative numbers changes its sign.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check skl2onnx==1.20.0 onnxruntime==1.32.0 scikit-learn==1.9.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.preprocessing import Normalizer

X = np.array([[1.0, 4.0], [-1.0, -4.0], [2.0, -4.0]], np.float32)
model = Normalizer(norm="max").fit(X)
file = to_onnx(model, X).SerializeToString()
run = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
print("scikit-learn", model.transform(X).tolist())
print("onnx", run.run(None, {run.get_inputs()[0].name: X})[0].tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
scikit-learn [[0.25, 1.0], [-0.25, -1.0], [0.5, -1.0]]
onnx [[0.25, 1.0], [1.0, 4.0], [1.0, -2.0]]
SEEN
echo "as described"
