#!/bin/sh
# onnxmltools 1.16.0: an XGBRegressor with objective reg:logistic, whose predictions are probabilities, comes out as
# a model of log-odds, silently; binary:hinge, whose predictions are 0 and 1, as one of scores. Those with a
# logarithm for a link, as count:poisson, are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check xgboost==3.2.0 onnxmltools==1.16.0 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import numpy as np
import onnxmltools
import onnxruntime
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType

random = np.random.default_rng(0)
X = random.normal(size=(300, 2)).astype(np.float32)
t = (X @ [3.0, -2.0] + random.logistic(size=300) > 0).astype(float)
rows = np.array([[0.5, -0.5], [0.25, 0.5], [-1.0, 1.0]], dtype=np.float32)
for objective in ("count:poisson", "reg:logistic", "binary:hinge"):
    model = xgboost.XGBRegressor(n_estimators=3, max_depth=2, objective=objective, nthread=1).fit(X, t)
    form = onnxmltools.convert_xgboost(model, initial_types=[("X", FloatTensorType([None, 2]))])
    told = onnxruntime.InferenceSession(form.SerializeToString()).run(None, {"X": rows})[0].ravel()
    print(objective, "xgboost", model.predict(rows).round(3), "onnx", told.round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
count:poisson xgboost [0.665 0.532 0.333] onnx [0.665 0.532 0.333]
reg:logistic xgboost [0.76  0.587 0.22 ] onnx [ 1.652  0.853 -0.769]
binary:hinge xgboost [1. 1. 0.] onnx [ 0.713  0.713 -0.851]
SEEN
echo "as described"
