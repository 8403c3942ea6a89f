"""Our estimators in skl2onnx, alone and in pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np

import rrmlinear
from rrmlinear.core.loading import imported
from rrmlinear.exports.exported import Exported
from rrmlinear.exports.onnx_file import plain_labels, tensor_of
from rrmlinear.exports.onnx_graph import OPSET, Graph
from rrmlinear.exports.scorer import INLIERS, LABELS, NUMBERS

#: Options of skl2onnx's own classifiers that its parser carries out.
OPTIONS = {
    "zipmap": [True, False, "columns"],
    "nocl": [True, False],
    "output_class_labels": [False, True],
}


def register_skl2onnx() -> None:
    """Tell skl2onnx all estimators of this package that have ``to_onnx``.

    Then `skl2onnx.to_onnx` takes them, and pipelines that end with them.

    Outputs are those that skl2onnx gives scikit-learn's classes: ``label`` and ``probabilities`` of
    a classifier, ``variable`` of numbers. Where a loss has no probabilities that output has the
    scores, of two classes −s and s. A single estimator needs no skl2onnx: see ``to_onnx``. Raises
    ImportError without skl2onnx.

    Examples
    --------
    >>> from rrmlinear import register_skl2onnx
    >>> register_skl2onnx()  # doctest: +SKIP
    """
    skl2onnx = imported("skl2onnx", "register_skl2onnx", "rrmlinear[onnx]")
    from sklearn.base import ClassifierMixin

    for name in dir(rrmlinear):
        cls = getattr(rrmlinear, name)
        if isinstance(cls, type) and issubclass(cls, Exported) and hasattr(cls, "get_params"):
            options = OPTIONS if issubclass(cls, ClassifierMixin) else None
            skl2onnx.update_registered_converter(
                cls, f"Rrmlinear{name}", _set_types, _convert, options=options
            )


def _set_types(operator: Any) -> None:
    """The types and shapes of the outputs."""
    from skl2onnx.common.data_types import (
        BooleanTensorType,
        DoubleTensorType,
        FloatTensorType,
        Int64TensorType,
        StringTensorType,
        guess_tensor_type,
    )

    scorer, given = operator.raw_operator._scorer(), operator.inputs[0].type
    n, m = (given.shape or [None])[0], scorer.weights.shape[0]
    numbers = type(guess_tensor_type(given))
    if scorer.meaning == NUMBERS:
        operator.outputs[0].type = numbers([n, m])
        return
    label = Int64TensorType
    if scorer.meaning not in (INLIERS, LABELS):
        classes = plain_labels(scorer.classes)
        kinds = {"O": StringTensorType, "?": BooleanTensorType, "f": FloatTensorType}
        label = (kinds | {"d": DoubleTensorType}).get(classes.dtype.char, label)
    operator.outputs[0].type = label([n, m] if scorer.meaning == LABELS else [n])
    columns = 2 if m == 1 and scorer.meaning not in (INLIERS, LABELS) else m
    operator.outputs[1].type = numbers([n, columns])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes under names of their own."""
    from skl2onnx.common.data_types import guess_numpy_type

    source = operator.inputs[0]
    dtype = guess_numpy_type(source.type)
    dtype = np.dtype(dtype if dtype in (np.float32, np.float64) else np.float32)
    graph = Graph(operator.raw_operator._scorer(), dtype, in_columns=True)
    names = {"X": source.full_name}
    for name, output in zip(graph.outputs, operator.outputs, strict=True):
        names[name] = output.full_name
    if guess_numpy_type(source.type) != dtype:
        names["X"] = scope.get_unique_variable_name("numbers")
        to = 1  # float32
        container.add_node("Cast", [source.full_name], [names["X"]], op_version=13, to=to)

    def own(name: str) -> str:
        if name not in names:
            names[name] = scope.get_unique_variable_name(name)
        return names[name]

    for name, value in graph.constants.items():
        tensor = tensor_of(name, value)
        text = [each.decode() for each in tensor.string_data]
        given = (list(tensor.dims), text) if text else (None, tensor)
        container.add_initializer(own(name), tensor.data_type, *given)
    for node in graph.nodes:
        container.add_node(
            node.operator,
            [own(name) for name in node.inputs],
            [own(name) for name in node.output.split(",")],
            op_version=OPSET,
            name=scope.get_unique_operator_name(node.operator),
            **node.attributes,
        )
