#!/bin/sh
# onnxruntime 1.32.0: LinearClassifier with SOFTMAX_ZERO leaves scores of exactly 0 out of the
# softmax, and a row of zeros gives nan. SOFTMAX gives each class a third there.
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
for transform in ("SOFTMAX", "SOFTMAX_ZERO"):
    node = helper.make_node(
        "LinearClassifier", ["X"], ["label", "scores"], domain="ai.onnx.ml",
        coefficients=[2.0, 0, 0, 1, 0, 0], intercepts=[0.0, 0, 0], classlabels_ints=[0, 1, 2],
        post_transform=transform,
    )
    ends = [
        helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, 2]),
        helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
        helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 3]),
    ]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    sets = [helper.make_opsetid("ai.onnx.ml", 1), helper.make_opsetid("", 15)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    print(transform, session.run(["scores"], {"X": X})[0].astype(float).round(3).tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
SOFTMAX [[0.787, 0.107, 0.107], [0.333, 0.333, 0.333], [0.063, 0.468, 0.468]]
SOFTMAX_ZERO [[1.0, 0.0, 0.0], [nan, nan, nan], [1.0, 0.0, 0.0]]
SEEN
echo "as described"
