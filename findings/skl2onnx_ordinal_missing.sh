#!/bin/sh
# skl2onnx 1.20.0: OrdinalEncoder gives missing values the code -1, whatever encoded_missing_value says; without it
# they stay nan in scikit-learn. A linear model behind it takes the -1 for a number.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 onnx==1.23.2 onnxruntime==1.32.0 skl2onnx==1.20.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.preprocessing import OrdinalEncoder

X = np.array([[np.nan], [5], [7], [9]], dtype=np.float32)
for choices in ({}, {"encoded_missing_value": -2}, {"encoded_missing_value": 10}):
    model = OrdinalEncoder(**choices).fit(X)
    session = onnxruntime.InferenceSession(to_onnx(model, X[:1]).SerializeToString())
    codes = session.run(None, {"X": X})[0].ravel().astype(float)
    print(choices, "onnx", codes, "scikit-learn", model.transform(X).ravel())
PROGRAM
diff "$folder/seen" - <<'SEEN'
{} onnx [-1.  0.  1.  2.] scikit-learn [nan  0.  1.  2.]
{'encoded_missing_value': -2} onnx [-1.  0.  1.  2.] scikit-learn [-2.  0.  1.  2.]
{'encoded_missing_value': 10} onnx [-1.  0.  1.  2.] scikit-learn [10.  0.  1.  2.]
SEEN
echo "as described"
