#!/bin/sh
# skl2onnx 1.20.0: its converter of linear classifiers, registered for another class with the same
# attributes, gives the sigmoid of twice the score for two classes: it takes SOFTMAX of -z and z for
# all but the classes that it knows. LogisticRegression itself comes out right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 onnx==1.23.2 onnxruntime==1.32.0 skl2onnx==1.20.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from scipy.special import expit
from skl2onnx import to_onnx, update_registered_converter
from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes
from skl2onnx.operator_converters.linear_classifier import convert_sklearn_linear_classifier
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression


class Own(ClassifierMixin, BaseEstimator):
    def __init__(self, fitted):
        self.fitted = fitted
        self.coef_, self.intercept_ = fitted.coef_, fitted.intercept_
        self.classes_ = fitted.classes_


X = np.array([[0.0], [1.0], [2.0], [3.0]])
known = LogisticRegression().fit(X, [0, 0, 1, 1])
names = "zipmap", "nocl", "output_class_labels", "raw_scores"
update_registered_converter(
    Own,
    "OwnLogistic",
    calculate_linear_classifier_output_shapes,
    convert_sklearn_linear_classifier,
    options={name: [True, False] for name in names},
)
print("sigmoid of z ", expit(known.decision_function(X)).round(3))
print("sigmoid of 2z", expit(2 * known.decision_function(X)).round(3))
for model in (known, Own(known)):
    made = to_onnx(model, X[:1].astype(np.float32), options={"zipmap": False})
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    print(type(model).__name__, session.run(None, {"X": X.astype(np.float32)})[1][:, 1].round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
sigmoid of z  [0.192 0.382 0.618 0.808]
sigmoid of 2z [0.053 0.277 0.723 0.947]
LogisticRegression [0.192 0.382 0.618 0.808]
Own [0.053 0.277 0.723 0.947]
SEEN
echo "as described"
