#!/bin/sh
# onnxmltools 1.16.0: a LightGBM random forest (boosting_type="rf") predicts the mean of its trees. The converted model
# divides their sum by 100, whatever the number of trees: a twentieth of the prediction for five.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check lightgbm==4.7.0 onnxmltools==1.16.0 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import lightgbm
import numpy as np
import onnxmltools
import onnxruntime
from onnxmltools.convert.common.data_types import FloatTensorType

random = np.random.default_rng(0)
X = random.normal(size=(300, 2))
y = X @ [3.0, -2.0] + 10
rows = np.array([[0.5, -0.5], [0.25, 0.5]])
for trees in (5, 50, 100, 200):
    options = {"n_estimators": trees, "bagging_freq": 1, "bagging_fraction": 0.5}
    model = lightgbm.LGBMRegressor(boosting_type="rf", num_leaves=4, n_jobs=1, verbose=-1, **options).fit(X, y)
    form = onnxmltools.convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, 2]))])
    told = onnxruntime.InferenceSession(form.SerializeToString()).run(None, {"X": rows.astype(np.float32)})[0].ravel()
    print(trees, "trees: lightgbm", model.predict(rows).round(2), "onnx", told.round(2))
PROGRAM
diff "$folder/seen" - <<'SEEN'
5 trees: lightgbm [12.56 10.72] onnx [0.63 0.54]
50 trees: lightgbm [12.59 10.92] onnx [6.29 5.46]
100 trees: lightgbm [12.54 10.79] onnx [12.54 10.79]
200 trees: lightgbm [12.48 10.83] onnx [24.97 21.66]
SEEN
echo "as described"
