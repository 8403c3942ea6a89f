#!/bin/sh
# skl2onnx 1.20.0: of SGDClassifier(loss="modified_huber") with three classes the file predicts the class of
# the largest probability, and where two probabilities are equal the first. As this loss clips them, 1/3,
# 1/3, 1/3 and 1/2, 1/2, 0 are frequent; scikit-learn takes the largest score.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check skl2onnx==1.20.0 onnxruntime==1.32.0 scikit-learn==1.9.1 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.linear_model import SGDClassifier

random = np.random.default_rng(0)
X = random.normal(size=(200, 2)).astype(np.float32)
y = np.digitize(X[:, 0], [-0.5, 0.5])
for loss in ("log_loss", "modified_huber"):
    model = SGDClassifier(loss=loss, random_state=0).fit(X, y)
    file = to_onnx(model, X, options={id(model): {"zipmap": False}}).SerializeToString()
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    labels, probabilities = session.run(None, {"X": X})
    error = np.abs(probabilities - model.predict_proba(X)).max()
    wrong = labels != model.predict(X)
    ties = np.ptp(np.sort(probabilities)[:, 1:], axis=1) < 1e-6
    print(loss, "probabilities agree:", error < 1e-5, "other labels:", wrong.any(), end=" ")
    print("only at ties:", np.all(ties[wrong] & (labels[wrong] < 2)))
    print(f"accuracy {np.mean(labels == y):.1f} scikit-learn {model.score(X, y):.1f}")
PROGRAM
diff "$folder/seen" - <<'SEEN'
log_loss probabilities agree: True other labels: False only at ties: True
accuracy 0.9 scikit-learn 0.9
modified_huber probabilities agree: True other labels: True only at ties: True
accuracy 0.6 scikit-learn 1.0
SEEN
echo "as described"
