#!/bin/sh
# hummingbird 0.4.12: StandardScaler(with_mean=False) is converted to a scaler that subtracts the means: a linear model
# behind it predicts other values, silently.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 torch==2.14.1 hummingbird-ml==0.4.12
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import hummingbird.ml
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X = np.array([[1, 5], [2, 7], [3, 6], [4, 9]], np.float32)
y = np.array([1.0, 2, 2, 4])
for choice in (True, False):
    model = make_pipeline(StandardScaler(with_mean=choice), Ridge()).fit(X, y)
    told = hummingbird.ml.convert(model, "torch", X).predict(X)
    print("with_mean", choice, "scikit-learn", model.predict(X).round(3), "hummingbird", told.ravel().round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
with_mean True scikit-learn [1.009 2.149 2.163 3.679] hummingbird [1.009 2.149 2.163 3.679]
with_mean False scikit-learn [1.009 2.149 2.163 3.679] hummingbird [-2.5   -1.36  -1.346  0.17 ]
SEEN
echo "as described"
