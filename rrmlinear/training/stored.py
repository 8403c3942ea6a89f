"""A model as its file holds it: weights, labels, and the names of solver and loss."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record

#: A type and a number of nodes, few enough for a power of it.
TABLE = r"([+-]?[0-9]{1,18}):([1-9][0-9]?)"


@record()
class StoredModel(PlainState):
    """A linear model of scores x'W.

    ``weights`` is (d + 1 with a bias, else d) × m. There are three kinds of models:

    - A model without labels is a regression. Its one score is the prediction.
    - A model with one column has two labels. A score above 0 means the first label, any other score
      the second.
    - Else the columns are in the order of ``labels``. The class of x is the first with the largest
      score; of two classes the second where their scores are equal. LIBLINEAR's type of two columns
      has the first class where its score is above 0.

    A one-class model has the labels 1 and −1. Its score is x'w − ``rho``, and so is the score of a
    model of a measure that ranks. Labels are in the order of first appearance in the training data.
    The larger label is the first one for a measure.

    A model of sequences has ``transitions``, k × k: row i and column j have the weight of label j
    after label i. With features of edges it has ``edge_weights``, such a matrix for each feature. A
    model of graphs has ``tables`` by the type or size of cliques, k × … × k, an axis for each node.

    ``numbers`` are the parameters of a measure, such as its β.

    ``bias`` is the value of the appended column, negative for none. ``loss`` is the name of the
    training loss, if known.
    """

    solver_name: str
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_features: int
    bias: float = -1.0
    loss: str | None = None
    rho: float | None = None
    transitions: NDArray[np.float64] | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    edge_weights: NDArray[np.float64] | None = None
    tables: Mapping[int, NDArray[np.float64]] | None = None
    #: The words that labels stand for, in their order, and the names of the features.
    label_names: Sequence[str] | None = None
    feature_names: Sequence[str] | None = None
    #: The levels of several quantiles, which have a column of weights each.
    levels: Sequence[float] | None = None

    @property
    def is_regression(self) -> bool:
        """Whether predictions are numbers, not labels."""
        return len(self.labels) == 0

    @property
    def structure(self) -> str:
        """Words on what is labelled, or on several quantiles."""
        if self.levels is not None:
            return "of several quantiles"
        of_graphs = self.tables is not None
        return "of graphs, with tables" if of_graphs else "of sequences, with transitions"

    @property
    def read_by(self) -> str:
        """The method that reads such a model file."""
        if self.tables is not None:
            return "GraphModel.load"
        return "Model.load" if self.transitions is None else "ChainModel.load"

    @property
    def rows_behind(self) -> list[NDArray[np.float64]] | None:
        """The rows of k weights behind those of features in a file: of transitions and edges, or of
        tables; None for a model of examples.
        """
        k = len(self.labels)
        if self.tables is not None:
            return [self.tables[kind].reshape(-1, k) for kind in sorted(self.tables)]
        if self.transitions is None:
            return None
        return [self.transitions, *([] if self.edge_weights is None else self.edge_weights)]

    def lines_behind(self, n_lines: int) -> list[str]:
        """The header's lines on these rows, which stand in ``n_lines`` lines with the others."""
        lines = []
        if self.tables is not None:
            kinds = (f" {kind}:{self.tables[kind].ndim}" for kind in sorted(self.tables))
            lines = ["tables" + "".join(kinds)]
        elif self.transitions is not None:
            edges = 0 if self.edge_weights is None else len(self.edge_weights)
            lines = [f"transitions {len(self.transitions)}", f"edge_features {edges}"]
        return [*lines, f"lines {n_lines}"] if lines else []


def sizes_of_tables(text: str, k: int) -> dict[int, int]:
    """The types of tables and their numbers of nodes, written as ``type:nodes`` with types rising.

    Raises ValueError, and for tables beyond `MAX_TABLE` too.
    """
    from rrmlinear.risks.layouts.graphs.cliques import MAX_TABLE

    sizes: dict[int, int] = {}
    for word in text.split():
        found = re.fullmatch(TABLE, word)
        if found is None:
            raise ValueError(f"found {word[:40]!r} where type:nodes is expected")
        kind, size = map(int, found.groups())
        if k**size > MAX_TABLE:
            raise ValueError(f"a table of {size} nodes has more than {MAX_TABLE} weights")
        if sizes and kind <= max(sizes):
            raise ValueError(f"found type {kind} behind {max(sizes)}; types must rise")
        sizes[kind] = size
    return sizes


def shaped_tables(
    rows: NDArray[np.float64], sizes: Mapping[int, int]
) -> dict[int, NDArray[np.float64]]:
    """The tables of these sizes by type, from rows of k weights, one table behind the other."""
    k, begin = rows.shape[1], 0
    tables = {}
    for kind, size in sizes.items():
        end = begin + k ** (size - 1)
        tables[kind] = rows[begin:end].reshape((k,) * size)
        begin = end
    return tables
