#!/bin/sh
# skl2onnx 1.20.0: a BaggingClassifier of classifiers without predict_proba, as LinearSVC, is converted to a model that
# takes means over examples where it should take them over estimators: it gives as many labels as there are estimators,
# whatever the number of rows, and as many as rows only where the two are equal, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.ensemble import BaggingClassifier
from sklearn.svm import LinearSVC

random = np.random.default_rng(0)
X = random.normal(size=(120, 3)).astype(np.float32)
y = (X[:, 0] > X[:, 1]).astype(int)
model = BaggingClassifier(LinearSVC(), n_estimators=4, random_state=0).fit(X, y)
session = onnxruntime.InferenceSession(to_onnx(model, X[:1], options={"zipmap": False}).SerializeToString())
for rows in (4, 8):
    print(rows, "rows: scikit-learn", model.predict(X[:rows]), "onnx", session.run(None, {"X": X[:rows]})[0])
PROGRAM
diff "$folder/seen" - <<'SEEN'
4 rows: scikit-learn [1 1 1 0] onnx [1 1 1 1]
8 rows: scikit-learn [1 1 1 0 0 0 0 1] onnx [0 0 0 0]
SEEN
echo "as described"
