"""The nodes of an ONNX graph that scores rows and gives classes, probabilities or numbers.

All are of the standard's own operators, for float32 and float64 alike. Those of ai.onnx.ml run in
float32 alone, and treat one row of weights and two labels in ways of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record
from rrmlinear.exports.scorer import INLIERS, LABELS, NUMBERS, Scorer

OPSET = 17


@record()
class Node:
    """An operator from named inputs to one named output."""

    operator: str
    inputs: Sequence[str]
    output: str
    attributes: dict[str, Any]


class Graph:
    """Nodes from an input ``X``, their constants by name, and the outputs in their order.

    With ``in_columns`` the scores of two classes are two columns, −s and s, as skl2onnx wants them.
    """

    def __init__(self, scorer: Scorer, dtype: Any, in_columns: bool = False) -> None:
        self.nodes: list[Node] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self.outputs: list[str] = []
        self.dtype, self.in_columns = np.dtype(dtype), in_columns
        is_plain = scorer.meaning == NUMBERS and scorer.link is None and not scorer.rising
        scores = "variable" if is_plain else "all_scores"
        self.constant("weights", scorer.dense.astype(self.dtype))
        self.constant("intercepts", scorer.intercepts.astype(self.dtype))
        columns = [each.add_to(self, f"basis{j}") for j, each in enumerate(scorer.bases)]
        if len(columns) > 1:
            columns = [self.add("Concat", columns, "bases", axis=1)]
        self.add("Gemm", [*(columns or ["X"]), "weights", "intercepts"], scores, transB=1)
        if is_plain:
            self.outputs.append("variable")
        elif scorer.rising:
            k = self.constant("k", np.array([len(scorer.intercepts)], dtype=np.int64))
            how = {"axis": 1, "largest": 0, "sorted": 1}
            self.nodes.append(Node("TopK", [scores, k], "variable,places", how))
            self.outputs.append("variable")
        elif scorer.meaning == NUMBERS:
            self._ends("variable", {"exp": "Exp", "sigmoid": "Sigmoid"}[scorer.link or ""], scores)
        elif scorer.meaning == LABELS:
            self._labels(scorer)
        elif scorer.weights.shape[0] == 1:
            self._two(scorer)
        else:
            self._several(scorer)

    def constant(self, name: str, value: Any) -> str:
        """A constant by its name."""
        self.constants[name] = np.asarray(value)
        return name

    def numbers(self, name: str, value: Any) -> str:
        """A constant of numbers in the type of the input."""
        return self.constant(name, np.asarray(value, dtype=self.dtype))

    def add(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """A node, and the name of its output."""
        self.nodes.append(Node(operator, inputs, output, attributes))
        return output

    def _ends(self, name: str, operator: str, *inputs: str, **attributes: Any) -> None:
        self.outputs.append(self.add(operator, inputs, name, **attributes))

    def _is_above(self, scores: str, limit: str) -> str:
        """1 where scores are above the limit, else 0."""
        self.add("Greater", [scores, limit], "is_above")
        return self.add("Cast", ["is_above"], "above", to=7)  # int64

    def _two(self, scorer: Scorer) -> None:
        one = self.constant("last_axis", np.array([1], dtype=np.int64))
        self.add("Squeeze", ["all_scores", one], "score")
        above = self._is_above("score", self.numbers("zero", 0.0))
        two = (-1, 1) if scorer.meaning == INLIERS else self._ordered(scorer)
        self._ends("label", "Gather", self.constant("classes", np.asarray(two)), above)
        first = scorer.meaning != INLIERS and scorer.positive == 0
        self.add("Neg", ["all_scores"], "opposite")
        pair = ["all_scores", "opposite"] if first else ["opposite", "all_scores"]
        if scorer.link is not None or self.in_columns:
            self.add("Concat", pair, "columns", axis=1)
        if scorer.link is not None:
            self._ends("probabilities", "Sigmoid", "columns")
        elif self.in_columns and scorer.meaning != INLIERS:
            self._ends("scores", "Identity", "columns")
        if self.in_columns and scorer.meaning == INLIERS:
            self._ends("scores", "Identity", "all_scores")
        elif not self.in_columns:
            # of the second class, as scikit-learn's
            self._ends("scores", "Neg" if first else "Identity", "score")

    def _ordered(self, scorer: Scorer) -> NDArray[Any]:
        """The classes of a score at most 0, and above."""
        assert scorer.classes is not None
        return scorer.classes[[1 - scorer.positive, scorer.positive]]

    def _several(self, scorer: Scorer) -> None:
        self.add("ArgMax", ["all_scores"], "place", axis=1, keepdims=0)
        self._ends("label", "Gather", self.constant("classes", scorer.classes), "place")
        if scorer.link is not None:
            scores = "all_scores"
            if scorer.link == "sigmoid":  # softmax of log σ(s) is σ(s) over the sum of the row
                scores = self._log_sigmoids("all_scores")
            self._ends("probabilities", "Softmax", scores, axis=1)
        if not self.in_columns or scorer.link is None:
            self._ends("scores", "Identity", "all_scores")

    def _log_sigmoids(self, scores: str) -> str:
        """log σ(a) = min(a, 0) − log(1 + e^{−|a|}); Softplus is not there for float64."""
        self.add("Min", [scores, self.numbers("zero", 0.0)], "negative_part")
        self.add("Abs", [scores], "size")
        self.add("Neg", ["size"], "minus_size")
        self.add("Exp", ["minus_size"], "ratio")
        self.add("Add", ["ratio", self.numbers("unit", 1.0)], "sum")
        self.add("Log", ["sum"], "rest")
        return self.add("Sub", ["negative_part", "rest"], "log_sigmoids")

    def _labels(self, scorer: Scorer) -> None:
        if scorer.top_k is None:
            limits = self.numbers("zero", 0.0)
            if scorer.limits is not None:
                limits = self.constant("limits", scorer.limits.astype(self.dtype))
            self._ends("label", "Identity", self._is_above("all_scores", limits))
        else:
            k = self.constant("k", np.array([scorer.top_k], dtype=np.int64))
            self.nodes.append(Node("TopK", ["all_scores", k], "largest,places", {"axis": 1}))
            none = self._is_above("all_scores", self.numbers("infinity", np.inf))
            self.add("Mul", ["places", self.constant("none", np.array(0))], "zeros")
            self.add("Add", ["zeros", self.constant("one", np.array(1))], "ones")
            self._ends("label", "ScatterElements", none, "places", "ones", axis=1)
        if scorer.link is not None:
            self._ends("probabilities", "Sigmoid", "all_scores")
        if not self.in_columns or scorer.link is None:
            self._ends("scores", "Identity", "all_scores")
