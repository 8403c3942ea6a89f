#!/bin/sh
# onnxruntime 1.32.0: a LinearClassifier of one row of weights and two labels ignores SOFTMAX: its
# scores are 1 - s and s, which may be below 0. LOGISTIC is applied.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper

X = np.array([[1, 0], [0, 0], [-1, 0]], dtype=np.float32)
for transform in ("NONE", "SOFTMAX", "LOGISTIC"):
    node = helper.make_node(
        "LinearClassifier", ["X"], ["label", "scores"], domain="ai.onnx.ml",
        coefficients=[2.0, 0], intercepts=[0.0], classlabels_ints=[0, 1], post_transform=transform,
    )
    ends = [
        helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, 2]),
        helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
        helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 2]),
    ]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    sets = [helper.make_opsetid("ai.onnx.ml", 1), helper.make_opsetid("", 15)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    print(transform, session.run(["scores"], {"X": X})[0].astype(float).round(3).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
NONE [[-1.0, 2.0], [1.0, 0.0], [3.0, -2.0]]
SOFTMAX [[-1.0, 2.0], [1.0, 0.0], [3.0, -2.0]]
LOGISTIC [[0.119, 0.881], [0.5, 0.5], [0.881, 0.119]]
SEEN
echo "as described"
