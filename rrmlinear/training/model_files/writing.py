"""Writing model files: LIBLINEAR's text format, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.solvers import find_solver, losses_of_model, name_for_liblinear
from rrmlinear.data.text._weights_text import alike_bound, format_alike, format_weights, text_bound
from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.training.model_files.header import BLOCK_SIZE
from rrmlinear.training.stored import StoredModel

ROWS_AT_ONCE = 1 << 12


class AlikeWeights:
    """A matrix of weights as groups of equal rows; rows of zeros are in none.

    ``n_lines`` is the number of groups, which stand in the order of their first rows.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.weights = np.ascontiguousarray(weights + 0.0)  # -0 becomes 0
        used = np.flatnonzero(self.weights.any(axis=1))
        order = used[np.argsort(self._prints()[used], kind="stable")]
        new = np.ones(len(order), dtype=bool)
        # rows of equal fingerprints stand beside each other
        new[1:] = (self.weights[order[1:]] != self.weights[order[:-1]]).any(axis=1)
        group = np.cumsum(new) - 1
        first = order[new][group]
        self.rows = order[np.lexsort((order, first))]
        counts = np.bincount(group)[np.argsort(order[new])] if len(order) else group
        self.begins = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    @property
    def n_lines(self) -> int:
        return len(self.begins) - 1

    def _prints(self) -> NDArray[np.uint64]:
        """A number for each row that is equal for equal rows."""
        chance = np.random.default_rng(0)
        result = np.zeros(len(self.weights), dtype=np.uint64)
        for bits in self.weights.view(np.uint64).T:
            factor = np.uint64(chance.integers(1, 2**63))
            result += factor * (bits ^ (bits >> np.uint64(32)))
        return result

    def write(self, file: Any) -> None:
        """Write the lines to a binary file."""
        begins, columns, text = self.begins, self.weights.shape[1], bytearray()
        at = 0
        while at < self.n_lines:
            end = int(np.searchsorted(begins, begins[at] + ROWS_AT_ONCE, side="right")) - 1
            end = max(end, at + 1)
            need = alike_bound(int(begins[end] - begins[at]), end - at, columns)
            if need > len(text):
                text = bytearray(need)
            written = format_alike(text, self.weights, self.rows, begins[at : end + 1])
            file.write(memoryview(text)[:written])
            at = end


def save_model(model: StoredModel, path: str | PathLike[str], liblinear: bool = False) -> None:
    """Write LIBLINEAR's text format, and for types with a choice of losses a line ``loss``.

    A regression has nr_class 2 and no line ``label``, and a one-class machine a line ``rho`` too,
    as in LIBLINEAR; a measure that ranks has both, and a line ``beta`` or ``k`` where chosen.
    Several quantiles have a line ``levels``, and a column each. The file is complete or left as it
    was. Numbers have 17 digits: models read back predict bit for bit. With ``liblinear`` the type
    is the one of LIBLINEAR that predicts the same labels or values, and there is no line ``loss``;
    a threshold moves into the weight of the bias, and two columns of weights become half their
    difference and its negative.

    Names stand behind the weights, where LIBLINEAR does not read: a line ``label_names`` and a line
    ``feature_names``, each with a list in JSON.

    A model of sequences has lines ``transitions``, ``edge_features`` and ``lines``, the number of
    lines behind the header. Its rows are those of the weights, of the transitions and of each
    feature of edges, numbered from 1; see `AlikeWeights`. A model of graphs has ``lines`` and
    ``tables``, the type and the nodes of each; the last node's labels are the columns of its rows.
    The header of both has the line ``feature_names``.

    Raises OSError as `open` does, and ValueError for a model without features, weights that are not
    finite, and a loss that is not known.
    """
    weights = np.ascontiguousarray(model.weights, dtype=np.float64)
    if model.n_features < 1:
        raise ValueError("a model without features cannot be saved")
    behind = model.rows_behind
    if liblinear and (behind is not None or model.levels is not None):
        raise ValueError(f"a model {model.structure}, which LIBLINEAR has no place for")
    if behind is not None:
        weights = np.concatenate([weights, *behind])
    if not (np.isfinite(weights).all() and np.isfinite([model.bias, model.rho or 0.0]).all()):
        raise ValueError("the model has weights that are not finite and cannot be saved")
    if liblinear and model.loss is not None:
        if weights.shape[1] == 2 and not find_solver(model.solver_name).is_liblinear:
            # the first score is above 0 where it was above the second
            weights = (weights - weights[:, ::-1]) / 2
        model = replace(model, solver_name=name_for_liblinear(loss_row(model.loss)))
        if model.rho is not None and not _is_one_class(model):
            weights, model = _without_threshold(model, weights)
    elif model.loss is None and len(losses_of_model(model.solver_name)) > 1:
        raise ValueError(f"a model of {model.solver_name} cannot be saved without its loss")
    if behind is not None:
        alike = AlikeWeights(weights)
        with whole_file(path) as file:
            file.write(header_of(model, alike.n_lines).encode())
            alike.write(file)
        return
    rows, columns = weights.shape
    at_once = max(1, BLOCK_SIZE // text_bound(1, columns))
    text = bytearray(text_bound(min(rows, at_once), columns))
    with whole_file(path) as file:
        file.write(header_of(model).encode())
        for begin in range(0, rows, at_once):
            written = format_weights(text, weights[begin : begin + at_once])
            file.write(memoryview(text)[:written])
        for name in ("label_names", "feature_names"):
            if (names := getattr(model, name)) is not None:
                file.write(f"{name} {json.dumps(list(names), ensure_ascii=False)}\n".encode())


def _is_one_class(model: StoredModel) -> bool:
    known = None if model.loss is None else loss_row(model.loss).kind
    return model.rho is not None and known in (None, "one-class")


def _without_threshold(
    model: StoredModel, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], StoredModel]:
    """The weights with the threshold in that of the bias, for LIBLINEAR's predict."""
    assert model.rho is not None
    if not model.bias > 0:
        raise ValueError(
            f"a model of loss {model.loss} has a threshold, which LIBLINEAR's model files hold in "
            f"the weight of a bias above 0 alone: the bias is {model.bias:g}"
        )
    weights = weights.copy()
    weights[-1] -= model.rho / model.bias
    return weights, replace(model, rho=None)


def header_of(model: StoredModel, n_lines: int = 0) -> str:
    """The lines before the weights."""
    lines = [f"solver_type {model.solver_name}"]
    if len(losses_of_model(model.solver_name)) > 1:
        lines.append(f"loss {model.loss}")
    lines.append(f"nr_class {2 if model.is_regression else len(model.labels)}")
    if not model.is_regression and not _is_one_class(model):
        lines.append(f"label {' '.join(map(str, model.labels.tolist()))}")
    lines += [f"nr_feature {model.n_features}", f"bias {model.bias:.17g}"]
    if model.rho is not None:
        lines.append(f"rho {model.rho:.17g}")
    if model.levels is not None:
        lines.append(f"levels {' '.join(f'{level:.17g}' for level in model.levels)}")
    lines += model.lines_behind(n_lines)
    if n_lines and model.feature_names is not None:
        named = json.dumps(list(model.feature_names), ensure_ascii=False)
        lines.append(f"feature_names {named}")
    if len(losses_of_model(model.solver_name)) > 1:
        lines += [f"{name} {value:.17g}" for name, value in model.numbers.items()]
    return "\n".join([*lines, "w", ""])
