#!/bin/sh
# onnxruntime 1.32.0: a model with Softplus of float64, which the ONNX standard allows and onnx's
# checker accepts, cannot be loaded on a CPU. Sigmoid, Softmax, Exp and Log of float64 can.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
"$folder/env/bin/python" -W ignore - >"$folder/seen" <<'PROGRAM'
import onnxruntime
from onnx import TensorProto, checker, helper

for operator in ("Sigmoid", "Exp", "Log", "Softplus"):
    for kind in (TensorProto.FLOAT, TensorProto.DOUBLE):
        ends = [helper.make_tensor_value_info(name, kind, [1]) for name in "ab"]
        graph = helper.make_graph([helper.make_node(operator, ["a"], ["b"])], "g", ends[:1], ends[1:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        checker.check_model(model, full_check=True)
        try:
            onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            found = "loaded"
        except Exception as error:
            found = type(error).__name__
        print(operator, TensorProto.DataType.Name(kind), found)
PROGRAM
diff "$folder/seen" - <<'SEEN'
Sigmoid FLOAT loaded
Sigmoid DOUBLE loaded
Exp FLOAT loaded
Exp DOUBLE loaded
Log FLOAT loaded
Log DOUBLE loaded
Softplus FLOAT loaded
Softplus DOUBLE NotImplemented
SEEN
echo "as described"
