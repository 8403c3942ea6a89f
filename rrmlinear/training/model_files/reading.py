"""Reading model files: LIBLINEAR's text format with every claim checked."""

from __future__ import annotations

import os
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import loss_row
from rrmlinear.training.model_files.header import OF_CHAINS, Header
from rrmlinear.training.model_files.weights import alike_weights, names_of, plain_weights
from rrmlinear.training.stored import StoredModel, shaped_tables, sizes_of_tables

#: Kinds of models without a line of labels.
UNLABELLED = ("regression", "one-class")


def load_model(path: str | PathLike[str]) -> StoredModel:
    """Read a model file, LIBLINEAR's too; each claim in it is checked, and nothing is executed.

    Header lines may stand in any order before ``w``. Sizes are compared with the file's length
    before memory is allocated.

    Raises ModelFileError (a ValueError) with file, line and what was found, and OSError as `open`
    does.
    """
    with open(path, "rb") as file:
        return _model_of(Header(os.fspath(path), file))


def _model_of(header: Header) -> StoredModel:
    solver_name, loss = header.solver_and_loss()
    kind = loss_row(loss).kind
    n_classes = header.count("nr_class", 1 if "loss" not in header.found else 2)
    labels = header.no_labels(n_classes) if kind in UNLABELLED else header.labels(n_classes)
    if kind == "measure" and n_classes != 2:
        raise header.error(f"a model of loss {loss} has 2 classes", header.found["nr_class"][0])
    n_features = header.count("nr_feature", 1)
    bias = header.number("bias")
    rho = header.rho(loss_row(loss).threshold)
    two = kind == "measure" or (kind == "binary" and n_classes == 2)
    levels = header.levels(loss)
    columns = len(levels or "1") if kind in UNLABELLED or two else n_classes
    labels = np.array([1, -1]) if kind == "one-class" else labels
    of_model = _of_examples
    if kind == "chain":
        of_model = _of_graphs if "tables" in header.found else _of_chains
    weights, others = of_model(header, n_features + (bias >= 0), columns)
    if kind == "chain" and "feature_names" in header.found:
        line, value = header.found["feature_names"]
        others |= names_of(header, b"feature_names " + value, line - 1)
    for name, count in (("label_names", len(labels)), ("feature_names", n_features)):
        if name in others and len(others[name]) != count:
            raise header.error(f"{name} has {len(others[name])} names, and there are {count}")
    others |= {"numbers": header.numbers(loss), "levels": levels}
    return StoredModel(solver_name, labels, weights, n_features, bias, loss, rho, **others)


def _of_examples(header: Header, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
    header.refuse(["tables"], "only a model of graphs has")
    header.refuse(OF_CHAINS, "only a model of sequences has")
    header.refuse(["feature_names"], "only a model of sequences has in its header")
    weights, named = plain_weights(header, rows, k)
    return weights, dict(named)


def _of_chains(header: Header, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
    header.need(OF_CHAINS)
    if header.count("transitions", 2) != k:
        raise header.error(f"transitions must be nr_class, {k}", header.found["transitions"][0])
    edges = header.count("edge_features", 0)
    weights = alike_weights(header, rows + k * (1 + edges), k, header.count("lines", 0))
    of_edges = weights[rows + k :].reshape(edges, k, k) if edges else None
    return weights[:rows], {"transitions": weights[rows : rows + k], "edge_weights": of_edges}


def _of_graphs(header: Header, rows: int, k: int) -> tuple[NDArray[np.float64], dict[str, Any]]:
    header.need(OF_CHAINS[2:])
    header.refuse(OF_CHAINS[:2], "a model with tables has no")
    line, value = header.found["tables"]
    try:
        sizes = sizes_of_tables(value.decode("ascii", "backslashreplace"), k)
    except ValueError as error:
        raise header.error(str(error), line) from None
    n_rows = rows + sum(k ** (size - 1) for size in sizes.values())
    weights = alike_weights(header, n_rows, k, header.count("lines", 0))
    return weights[:rows], {"tables": shaped_tables(weights[rows:], sizes)}
