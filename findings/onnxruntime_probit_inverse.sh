#!/bin/sh
# onnxruntime 1.32.0: the PROBIT of LinearRegressor is the quantile function of the normal distribution, not its
# distribution function: it gives no probabilities of a probit model but nan for scores outside of [0, 1], silently. LOGISTIC
# goes the other way, from scores to probabilities. It is applied to one target, where LOGISTIC is not.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 onnx==1.22.0 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from scipy.stats import norm

names = {"coefficients": [1.0, 0.0, 0.0, 1.0], "targets": 2}
ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, 2])] for name in "XY"]
versions = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
X = np.array([[0.3, -0.3], [0.9, 2.0]], np.float32)
for transform in ("PROBIT", "LOGISTIC"):
    node = helper.make_node("LinearRegressor", ["X"], ["Y"], domain="ai.onnx.ml", post_transform=transform, **names)
    model = helper.make_model(helper.make_graph([node], "g", *ends), opset_imports=versions, ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    print(transform, session.run(None, {"X": X})[0].round(4).tolist())
print("distribution function", norm.cdf(X).round(4).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
PROBIT [[-0.524399995803833, nan], [1.2817000150680542, nan]]
LOGISTIC [[0.574400007724762, 0.42559999227523804], [0.7109000086784363, 0.8808000087738037]]
distribution function [[0.6179, 0.3821], [0.8159, 0.9772]]
SEEN
echo "as described"
