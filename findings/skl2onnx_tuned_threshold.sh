#!/bin/sh
# skl2onnx 1.20.0: TunedThresholdClassifierCV is converted to the classifier inside it: its labels are by the probability
# 0.5, not by the threshold that was chosen, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV

random = np.random.default_rng(0)
X = random.normal(size=(400, 3)).astype(np.float32)
y = (X[:, 0] + random.normal(size=400) > 1.5).astype(int)
model = TunedThresholdClassifierCV(LogisticRegression(), scoring="balanced_accuracy").fit(X, y)
session = onnxruntime.InferenceSession(to_onnx(model, X[:1], options={"zipmap": False}).SerializeToString())
labels, probabilities = session.run(None, {"X": X})
print("threshold", model.best_threshold_.round(3))
print("ones: scikit-learn", model.predict(X).sum(), "onnx", labels.sum(), "above 0.5", (probabilities[:, 1] > 0.5).sum())
PROGRAM
diff "$folder/seen" - <<'SEEN'
threshold 0.077
ones: scikit-learn 182 onnx 21 above 0.5 21
SEEN
echo "as described"
