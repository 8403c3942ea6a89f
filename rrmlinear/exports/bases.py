"""Columns made of a row's features, for scores that are linear in them: kernels and stumps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record

Array = NDArray[np.float64]

#: Kernels that ONNX's own operators make.
KNOWN = ("linear", "rbf", "poly", "polynomial", "sigmoid", "laplacian")


@record()
class KernelBasis:
    """k(x, z) for each of the ``points`` z, m × d."""

    kernel: Any
    parameters: Mapping[str, Any]
    points: Any

    @property
    def n_features(self) -> int:
        return int(self.points.shape[1])

    @property
    def dense(self) -> Array:
        """The points as an array."""
        full = self.points.toarray() if hasattr(self.points, "toarray") else self.points
        return np.asarray(full, dtype=np.float64)

    def transformer(self) -> Any:
        """A fitted Nystroem of scikit-learn whose columns are these."""
        from sklearn.kernel_approximation import Nystroem

        m = self.points.shape[0]
        own = {name: self.parameters[name] for name in NYSTROEM if name in self.parameters}
        more = {name: value for name, value in self.parameters.items() if name not in own}
        made = Nystroem(kernel=self.kernel, n_components=m, kernel_params=more or None, **own)
        if callable(self.kernel):  # which takes all of its parameters there
            made = Nystroem(kernel=self.kernel, n_components=m, kernel_params=dict(self.parameters))
        made.components_, made.normalization_ = self.points, np.eye(m)
        made.component_indices_, made._n_features_out = np.arange(m), m
        return made

    def add_to(self, graph: Any, own: str) -> str:
        """Add the columns to an ONNX graph; the name of its output."""
        if not isinstance(self.kernel, str) or self.kernel not in KNOWN:
            raise ValueError(
                f"kernel is {self.kernel!r}, which ONNX has no operators for; it must be one of "
                f"{', '.join(KNOWN)}, or 'precomputed'"
            )
        points, given = self.dense, dict(self.parameters)
        gamma = given.get("gamma")
        gamma = 1.0 / self.n_features if gamma is None else float(gamma)
        if self.kernel == "laplacian":
            axis = graph.constant(f"{own}_axis", np.array([1], dtype=np.int64))
            graph.add("Unsqueeze", ["X", axis], f"{own}_rows")
            graph.add("Sub", [f"{own}_rows", graph.numbers(f"{own}_points", points)], f"{own}_off")
            graph.add("ReduceL1", [f"{own}_off"], f"{own}_far", axes=[2], keepdims=0)
            graph.add("Mul", [f"{own}_far", graph.numbers(f"{own}_pace", -gamma)], f"{own}_minus")
            return str(graph.add("Exp", [f"{own}_minus"], own))
        rows, shift = "X", np.zeros(len(points))
        if self.kernel == "rbf":  # near 0, where squared distances keep their digits
            centre = points.mean(axis=0).astype(graph.dtype)
            points = points - centre
            rows = graph.add("Sub", ["X", graph.numbers(f"{own}_centre", centre)], f"{own}_rows")
            shift = -gamma * np.square(points).sum(axis=1)
        elif self.kernel != "linear":
            shift = shift + float(given.get("coef0", 1.0))
        slope = {"linear": 1.0, "rbf": 2.0 * gamma}.get(self.kernel, gamma)
        inputs = [rows, graph.numbers(f"{own}_points", points * slope)]
        inputs.append(graph.numbers(f"{own}_shift", shift))
        products = graph.add("Gemm", inputs, f"{own}_products", transB=1)
        if self.kernel == "linear":
            return str(products)
        if self.kernel == "sigmoid":
            return str(graph.add("Tanh", [products], own))
        if self.kernel != "rbf":
            degree = graph.numbers(f"{own}_degree", float(given.get("degree", 3)))
            return str(graph.add("Pow", [products, degree], own))
        graph.add("ReduceSumSquare", [rows], f"{own}_squares", axes=[1], keepdims=1)
        graph.add("Mul", [f"{own}_squares", graph.numbers(f"{own}_gamma", gamma)], f"{own}_length")
        graph.add("Sub", [products, f"{own}_length"], f"{own}_rounded")
        most = graph.numbers(f"{own}_most", 0.0)  # squared distances may round below 0
        graph.add("Min", [f"{own}_rounded", most], f"{own}_exponents")
        return str(graph.add("Exp", [f"{own}_exponents"], own))


#: Parameters of kernels that Nystroem names itself.
NYSTROEM = ("gamma", "coef0", "degree")


@record()
class StumpBasis:
    """1 where feature ``features[t]`` of a row is above ``thresholds[t]``, else 0."""

    features: NDArray[np.int64]
    thresholds: Array
    n_features: int

    def transformer(self) -> Any:
        raise ValueError("scikit-learn has no ensemble of stumps with weights; to_onnx writes it")

    def add_to(self, graph: Any, own: str) -> str:
        """Add the columns to an ONNX graph; the name of its output."""
        limits = self.thresholds.astype(graph.dtype)
        # the largest number of this type that is no larger: the same rows are above
        limits = np.where(limits > self.thresholds, np.nextafter(limits, -np.inf), limits)
        places = graph.constant(f"{own}_features", np.asarray(self.features, dtype=np.int64))
        graph.add("Gather", ["X", places], f"{own}_values", axis=1)
        inputs = [f"{own}_values", graph.numbers(f"{own}_thresholds", limits)]
        graph.add("Greater", inputs, f"{own}_above")
        return str(graph.add("Cast", [f"{own}_above"], own, to={4: 1, 8: 11}[graph.dtype.itemsize]))
