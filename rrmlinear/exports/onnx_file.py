"""ONNX files of linear models."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np

from rrmlinear.core.loading import imported
from rrmlinear.core.plain_state import own_version
from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.exports.onnx_graph import OPSET, Graph
from rrmlinear.exports.scorer import LABELS, Scorer

#: Readers of files from 2023 on know it, and it has the operators.
IR_VERSION = 8
#: What a file of Protocol Buffers may hold.
MOST_BYTES = 2**31 - 2**20
DTYPES = ("float32", "float64")


def write_onnx(
    scorer: Scorer, path: str | PathLike[str], dtype: str, facts: dict[str, Any] | None = None
) -> None:
    """Write the model; see `Exported.to_onnx`. ``facts`` stand in the file as JSON."""
    imported("onnx", "to_onnx", "rrmlinear[onnx]")
    if dtype not in DTYPES:
        raise ValueError(f"dtype is {dtype!r}; it must be one of {', '.join(DTYPES)}")
    m, d = scorer.weights.shape
    size = (m * d + m) * np.dtype(dtype).itemsize
    if size > MOST_BYTES:
        raise ValueError(f"the weights have {size / 1e9:.3g} GB, and an ONNX file holds at most 2")
    data = _model_of(scorer, dtype, facts or {}).SerializeToString()
    with whole_file(path) as file:
        file.write(data)


def plain_labels(classes: Any) -> Any:
    """Labels in a type that ONNX has: text as objects, or numbers or truth values.

    Raises ValueError for labels of other types.
    """
    classes = np.asarray(classes)
    if classes.dtype.kind in "OU":
        if not all(isinstance(each, str) for each in classes.tolist()):
            raise ValueError("labels are of several types; ONNX takes text or numbers")
        return classes.astype(object)
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64)
    if classes.dtype.char in "?fd":
        return classes
    raise ValueError(f"labels are of type {classes.dtype}; ONNX takes text or numbers")


def tensor_of(name: str, value: Any) -> Any:
    """A constant as ONNX keeps it."""
    from onnx import numpy_helper

    value = plain_labels(value) if name == "classes" else value
    return numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name)


def _model_of(scorer: Scorer, dtype: str, facts: dict[str, Any]) -> Any:
    from onnx import TensorProto, checker, helper

    graph = Graph(scorer, dtype)
    m, d = scorer.weights.shape[0], scorer.n_features
    number = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    constants = {name: tensor_of(name, value) for name, value in graph.constants.items()}
    rank = 2 if scorer.meaning == LABELS else 1
    two = m == 1 and scorer.meaning != LABELS
    shapes = {
        "variable": (number, ["n", m]),
        "scores": (number, ["n"] if two else ["n", m]),
        "probabilities": (number, ["n", 2 if two else m]),
        "label": (TensorProto.INT64, ["n", m][:rank]),
    }
    if "classes" in constants:
        shapes["label"] = (constants["classes"].data_type, ["n"])
    nodes = [
        helper.make_node(one.operator, list(one.inputs), one.output.split(","), **one.attributes)
        for one in graph.nodes
    ]
    inputs = [helper.make_tensor_value_info("X", number, ["n", d])]
    outputs = [helper.make_tensor_value_info(name, *shapes[name]) for name in graph.outputs]
    whole = helper.make_graph(nodes, "rrmlinear", inputs, outputs, list(constants.values()))
    opset = [helper.make_opsetid("", OPSET)]
    made = helper.make_model(
        whole,
        opset_imports=opset,
        ir_version=IR_VERSION,
        producer_name="rrmlinear",
        producer_version=own_version(),
    )
    more = {name: json.dumps(fact) for name, fact in facts.items()}
    more |= {"features": json.dumps(scorer.features)} if scorer.names is not None else {}
    if scorer.meaning == LABELS:
        more["labels"] = json.dumps(scorer.columns)
    helper.set_model_props(made, more)
    checker.check_model(made)
    return made
