#!/bin/sh
# lightgbm 4.7.0 with linear_tree=True has a linear model in every leaf. m2cgen 0.10.0 and onnxmltools 1.16.0 take
# the constant of each leaf and write other predictions, silently. Without linear_tree both agree.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check lightgbm==4.7.0 m2cgen==0.10.0 onnxmltools==1.16.0 skl2onnx==1.20.0 onnx==1.22.0 onnxruntime==1.32.0 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import lightgbm
import m2cgen
import numpy as np
import onnxmltools
import onnxruntime
from onnxmltools.convert.common.data_types import FloatTensorType

random = np.random.default_rng(0)
X = random.normal(size=(300, 2))
y = X @ [3.0, -2.0] + 10 + 0.1 * random.normal(size=300)
rows = np.array([[0.125, -0.25], [0.75, -0.5], [-0.5, 0.25]])
for linear in (False, True):
    model = lightgbm.LGBMRegressor(n_estimators=5, num_leaves=4, learning_rate=0.5, linear_tree=linear, verbose=-1)
    model.fit(X, y)
    space = {}
    exec(m2cgen.export_to_python(model), space)
    form = onnxmltools.convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, 2]))])
    session = onnxruntime.InferenceSession(form.SerializeToString())
    print(f"linear_tree={linear}")
    print("  lightgbm", model.predict(rows).round(3))
    print("  m2cgen", np.array([space["score"](list(row)) for row in rows]).round(3))
    print("  onnx", session.run(None, {"X": rows.astype(np.float32)})[0].ravel().round(3))
PROGRAM
diff "$folder/seen" - <<'SEEN'
linear_tree=False
  lightgbm [11.808 11.808  7.411]
  m2cgen [11.808 11.808  7.411]
  onnx [11.808 11.808  7.411]
linear_tree=True
  lightgbm [11.36  13.072  7.889]
  m2cgen [11.773 12.514  7.634]
  onnx [11.773 12.514  7.634]
SEEN
echo "as described"
