#!/bin/sh
# skl2onnx 1.20.0: of OneVsRestClassifier around a model without probabilities, such as LinearSVC, the
# second output is the scores divided by their sum. Where the sum is below 0, as for most rows of
# three classes, all signs change: the predicted class has the smallest number. Labels are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check skl2onnx==1.20.0 onnxruntime==1.32.0 scikit-learn==1.9.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

random = np.random.default_rng(0)
y = np.arange(90) % 3
X = (4 * np.eye(3)[y] + random.normal(size=(90, 3))).astype(np.float32)
model = OneVsRestClassifier(LinearSVC()).fit(X, y)
file = to_onnx(model, X, options={id(model): {"zipmap": False}}).SerializeToString()
session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
labels, numbers = session.run(None, {"X": X})
scores = model.decision_function(X)
divided = scores / scores.sum(axis=1, keepdims=True)
print("labels agree:", np.array_equal(labels, model.predict(X)), end=" ")
print("numbers are scores over their sum:", np.allclose(numbers, divided, rtol=1e-3, atol=1e-3))
negative = scores.sum(axis=1) < 0
place = np.argsort(np.argsort(numbers, axis=1), axis=1)[np.arange(90), labels]
print("sums below 0:", negative.sum(), "labels with the smallest number:", (place == 0).sum())
PROGRAM
diff "$folder/seen" - <<'SEEN'
labels agree: True numbers are scores over their sum: True
sums below 0: 90 labels with the smallest number: 90
SEEN
echo "as described"
