#!/bin/sh
# skl2onnx 1.20.0: of CalibratedClassifierCV(method="isotonic") the file takes the probability of the
# nearest threshold, where scikit-learn interpolates between the two around a score. Probabilities
# far from the training scores differ by up to half a step.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check skl2onnx==1.20.0 onnxruntime==1.32.0 scikit-learn==1.9.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import LinearSVC

X = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]] * 2, dtype=np.float32)
y = (X[:, 0] > 0).astype(int)
new = np.array([[-0.8], [-0.4], [0.4], [0.8]], dtype=np.float32)
for method in ("sigmoid", "isotonic"):
    model = CalibratedClassifierCV(LinearSVC(), method=method, cv=2, ensemble=False).fit(X, y)
    file = to_onnx(model, X, options={id(model): {"zipmap": False}}).SerializeToString()
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    probabilities = session.run(None, {"X": new})[1][:, 1]
    print(method, probabilities.round(2), "scikit-learn", model.predict_proba(new)[:, 1].round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
sigmoid [0.31 0.4  0.6  0.69] scikit-learn [0.31 0.4  0.6  0.69]
isotonic [0. 0. 1. 1.] scikit-learn [0.06 0.28 0.72 0.94]
SEEN
echo "as described"
