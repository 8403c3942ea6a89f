"""What onnxruntime says of a model's file."""

import numpy as np
import pytest
from every_estimator import X

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
#: Rows unlike those of the training, and one whose scores are the intercepts.
ROWS = np.vstack([2 * X[:20] + 0.5, np.zeros(4)])


def outputs_of(source, rows, dtype="float32"):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    found = session.run(None, {session.get_inputs()[0].name: rows.astype(dtype)})
    return dict(zip([each.name for each in session.get_outputs()], found, strict=True))


def written(model, path, dtype="float32"):
    model.to_onnx(path / "model.onnx", dtype=dtype)
    return outputs_of(path / "model.onnx", ROWS, dtype)


def assert_near(found, expected):
    atol = 1e-5 * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=atol)
