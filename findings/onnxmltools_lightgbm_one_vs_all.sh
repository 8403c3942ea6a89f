#!/bin/sh
# onnxmltools 1.16.0: a LightGBM classifier with objective multiclassova has one sigmoid for each class. The
# converted model has a softmax: other probabilities, though LightGBM's 4.7.0 own are the sigmoids.
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
from scipy.special import expit, softmax

random = np.random.default_rng(0)
X = random.normal(size=(300, 2))
y = np.digitize(X @ [3.0, -2.0], [-2, 2])
rows = np.array([[0.5, -0.5], [0.25, 0.5]])
for objective in ("multiclass", "multiclassova"):
    model = lightgbm.LGBMClassifier(n_estimators=5, num_leaves=4, objective=objective, verbose=-1).fit(X, y)
    form = onnxmltools.convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, 2]))], zipmap=False)
    session = onnxruntime.InferenceSession(form.SerializeToString())
    scores = model.predict_proba(rows, raw_score=True)
    print(objective)
    print("  lightgbm", model.predict_proba(rows).round(3).tolist())
    print("  onnx    ", session.run(None, {"X": rows.astype(np.float32)})[1].astype(float).round(3).tolist())
    print("  sigmoids", expit(scores).round(3).tolist())
    print("  softmax ", softmax(scores, axis=1).round(3).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
multiclass
  lightgbm [[0.158, 0.385, 0.457], [0.23, 0.562, 0.208]]
  onnx     [[0.158, 0.385, 0.457], [0.23, 0.562, 0.208]]
  sigmoids [[0.174, 0.34, 0.379], [0.174, 0.34, 0.16]]
  softmax  [[0.158, 0.385, 0.457], [0.23, 0.562, 0.208]]
multiclassova
  lightgbm [[0.195, 0.496, 0.523], [0.195, 0.496, 0.176]]
  onnx     [[0.104, 0.423, 0.472], [0.168, 0.684, 0.148]]
  sigmoids [[0.195, 0.496, 0.523], [0.195, 0.496, 0.176]]
  softmax  [[0.104, 0.423, 0.472], [0.168, 0.684, 0.148]]
SEEN
echo "as described"
