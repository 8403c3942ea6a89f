#!/bin/sh
# onnxruntime 1.32.0: post_transform LOGISTIC of a LinearRegressor is applied to two targets, and
# ignored for one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper


def scores(n_targets):
    node = helper.make_node(
        "LinearRegressor", ["x"], ["y"], domain="ai.onnx.ml", targets=n_targets,
        coefficients=[1.0, 1.0] * n_targets, intercepts=[0.0] * n_targets, post_transform="LOGISTIC",
    )
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 2])
    found = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, n_targets])
    imports = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 1)]
    graph = helper.make_graph([node], "graph", [given], [found])
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    run = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return run.run(None, {"x": np.array([[1.0, 2.0]], np.float32)})[0].round(4).tolist()


print("two targets", scores(2))
print("one target", scores(1))
PROGRAM
diff "$folder/seen" - <<'SEEN'
two targets [[0.9526000022888184, 0.9526000022888184]]
one target [[3.0]]
SEEN
echo "as described"
