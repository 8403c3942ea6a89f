"""Models of labels in LIBLINEAR's text: one column of weights for each label."""

from __future__ import annotations

import os
from os import PathLike
from typing import Any

import numpy as np

from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.solvers import name_for_liblinear
from rrmlinear.data.text._weights_text import format_weights, text_bound
from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.training.model_files.header import BLOCK_SIZE, Header, ModelFileError
from rrmlinear.training.model_files.reading import load_model
from rrmlinear.training.model_files.writing import header_of
from rrmlinear.training.stored import StoredModel

#: LIBLINEAR's form has one column of two labels.
LEAST_LABELS = 3


def save_liblinear(model: Any, path: str | PathLike[str]) -> None:
    """Write a `LabelModel` as LIBLINEAR's model of one class against the rest, whole or not at all.

    Raises ValueError for labels that are no whole numbers, fewer than three of them, thresholds,
    and scores that no weights hold; OSError as `open` does.
    """
    k, names = model.n_labels, model.names
    form = "LIBLINEAR's form of a model"
    if names.dtype.kind not in "iu" or np.abs(names.astype(np.float64)).max(initial=0) >= 2**31:
        raise ValueError(f"{form} has whole numbers of 32 bits as labels, and these are {names}")
    if k < LEAST_LABELS:
        raise ValueError(f"{form} has a column for each of {LEAST_LABELS} labels or more, not {k}")
    if model.thresholds is not None:
        raise ValueError(f"{form} has no place for thresholds of labels")
    last = []
    if model.bias > 0:
        last = [model.intercepts[np.newaxis] / model.bias]
    elif model.intercepts.any():
        at = int(np.flatnonzero(model.intercepts)[0])
        raise ValueError(
            f"{form} holds the score of label {names[at]}, which has no row or all, in the weight "
            "of a bias above 0 alone"
        )
    loss = loss_row(model.loss)
    empty = np.empty((0, k))
    head = StoredModel(
        name_for_liblinear(loss), names.astype(np.int64), empty, model.n_features, model.bias
    )
    rows = model.weights.tocsr()
    at_once = max(1, BLOCK_SIZE // text_bound(1, k))
    text = bytearray(text_bound(at_once, k))
    with whole_file(path) as file:
        file.write(header_of(head).encode())
        for begin in range(0, model.n_features, at_once):
            block = rows[begin : begin + at_once].toarray().astype(np.float64)
            file.write(memoryview(text)[: format_weights(text, block)])
        for block in last:
            file.write(memoryview(text)[: format_weights(text, block)])


def has_columns(path: str | PathLike[str]) -> bool:
    """Whether a file has LIBLINEAR's model of three classes or more, each against the rest."""
    try:
        with open(path, "rb") as file:
            header = Header(os.fspath(path), file)
            kind = loss_row(header.solver_and_loss()[1]).kind
            return kind == "binary" and header.count("nr_class", 2) >= LEAST_LABELS
    except (OSError, ValueError):
        return False


def load_liblinear(path: str | PathLike[str]) -> dict[str, Any]:
    """The fields of the `LabelModel` of such a file; it tells no rows of labels.

    Raises ModelFileError, a ValueError, for any other.
    """
    from scipy.sparse import csc_array

    if not has_columns(path):
        raise ModelFileError(f"{os.fsdecode(path)} is no model of labels, and none of LIBLINEAR's "
                             "of three classes or more against the rest")  # fmt: skip
    stored = load_model(path)
    d, k = stored.n_features, len(stored.labels)
    has_bias = len(stored.weights) > d
    return dict(
        names=stored.labels,
        weights=csc_array(stored.weights[:d]),
        intercepts=stored.bias * stored.weights[d] if has_bias else np.zeros(k),
        bias=stored.bias,
        loss=stored.loss,
        solver_name=stored.solver_name,
        counts=np.zeros(k, np.int64),
    )
