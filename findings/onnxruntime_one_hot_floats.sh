#!/bin/sh
# onnxruntime 1.32.0: OneHotEncoder of floats cuts them to whole numbers before it looks for the category: 2.7 is taken
# for the category 2 and -0.9 for 0, silently. The reference implementation in onnx has no category for them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.22.0 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

node = helper.make_node("OneHotEncoder", ["X"], ["Y"], domain="ai.onnx.ml", cats_int64s=[0, 1, 2], zeros=1)
ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, None)] for name in "XY"]
versions = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
model = helper.make_model(helper.make_graph([node], "g", *ends), opset_imports=versions, ir_version=8)
X = np.array([1.0, 2.7, -0.9], np.float32)
for name, session in (
    ("onnx", ReferenceEvaluator(model)),
    ("onnxruntime", onnxruntime.InferenceSession(model.SerializeToString())),
):
    print(name, session.run(None, {"X": X})[0].tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
onnx [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
onnxruntime [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
SEEN
echo "as described"
