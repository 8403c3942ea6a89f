#!/bin/sh
# skl2onnx 1.20.0: the second output of SVC of two classes without probabilities has the score of the second class under
# the label of the first, and minus it under that of the second: the largest number stands with the class that is not
# predicted. The labels are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.svm import SVC

X = np.array([[0, 0], [1, 0], [0, 1], [3, 3], [4, 3], [3, 4]], np.float32)
model = SVC(kernel="linear").fit(X, ["no", "no", "no", "yes", "yes", "yes"])
session = onnxruntime.InferenceSession(to_onnx(model, X[:1]).SerializeToString())
labels, told = session.run(None, {"X": X[2:4]})
for score, label, row in zip(model.decision_function(X[2:4]), labels, told):
    scores = {str(name): round(float(value), 2) for name, value in row.items()}
    print(f"decision_function {score:.2f} label {label} onnx {scores}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
decision_function -1.00 label no onnx {'no': -1.0, 'yes': 1.0}
decision_function 1.00 label yes onnx {'no': 1.0, 'yes': -1.0}
SEEN
echo "as described"
