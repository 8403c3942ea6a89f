#!/bin/sh
# skl2onnx 1.20.0: probabilities of LinearDiscriminantAnalysis of two classes are the sigmoid of twice the
# score. Labels are right, and so are probabilities of three classes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 onnx==1.23.2 onnxruntime==1.32.0 skl2onnx==1.20.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from scipy.special import expit
from skl2onnx import to_onnx
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

random = np.random.default_rng(0)
X = random.normal(size=(150, 2)).astype(np.float32)
scores = X @ [1, -1] + random.normal(size=150)
for labels in ((scores > 0).astype(int), np.digitize(scores, [-1, 1])):
    model = LinearDiscriminantAnalysis().fit(X, labels)
    file = to_onnx(model, X[:1], options={"zipmap": False}).SerializeToString()
    probabilities = onnxruntime.InferenceSession(file).run(None, {"X": X[:3]})[1]
    print("onnx", probabilities[:, 1].astype(float).round(3), "scikit-learn", model.predict_proba(X[:3])[:, 1].round(3))
    if len(model.classes_) == 2:
        print("sigmoid of twice the score", expit(2 * model.decision_function(X[:3])).round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
onnx [0.646 0.763 0.036] scikit-learn [0.574 0.642 0.161]
sigmoid of twice the score [0.646 0.763 0.036]
onnx [0.733 0.696 0.613] scikit-learn [0.733 0.696 0.613]
SEEN
echo "as described"
