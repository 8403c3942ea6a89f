#!/bin/sh
# skl2onnx 1.20.0: a VotingClassifier of two classes with voting="hard", its default, with LinearSVC or another classifier
# without probabilities among its members predicts the first class for rows where all members say the second, silently.
# Of three classes it is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC

random = np.random.default_rng(0)
X = random.normal(size=(90, 3)).astype(np.float32)
members = [("svm", LinearSVC()), ("ridge", RidgeClassifier()), ("logistic", LogisticRegression())]
for classes, y in ((2, X[:, 0] > 0), (3, np.digitize(X[:, 0], [-0.5, 0.5]))):
    model = VotingClassifier(members, flatten_transform=False).fit(X, y.astype(int))
    session = onnxruntime.InferenceSession(to_onnx(model, X[:1], options={"zipmap": False}).SerializeToString())
    told, right = session.run(None, {"X": X})[0], model.predict(X)
    print(classes, "classes: scikit-learn", np.bincount(right), "onnx", np.bincount(told))
PROGRAM
diff "$folder/seen" - <<'SEEN'
2 classes: scikit-learn [52 38] onnx [90]
3 classes: scikit-learn [34 29 27] onnx [34 29 27]
SEEN
echo "as described"
