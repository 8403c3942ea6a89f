"""What models of sequences and of graphs have in common: marginals, files, work in parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import NAMED_LOSSES, loss_row
from rrmlinear.core.loading import named
from rrmlinear.core.machine import thread_pool
from rrmlinear.core.records import record
from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows
from rrmlinear.training.model_files.writing import save_model
from rrmlinear.training.stored import StoredModel


@record()
class LabellingModel(StoredModel, ABC):
    """A `StoredModel` that labels positions or nodes, with marginals if its loss has them."""

    @property
    def link(self) -> str | None:
        """The way from scores to marginals, or None."""
        return None if self.loss is None else loss_row(self.loss).link

    @abstractmethod
    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """The label of each position or node, in the labelling of the highest score."""

    @abstractmethod
    def predict_marginals(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """The probability of each label at each position or node."""

    def check_marginals(self) -> None:
        """Raise ValueError where scores are no likelihoods."""
        if self.link is None:
            known = [name for name, row in NAMED_LOSSES.items() if row.link == "marginals"]
            raise ValueError(f"loss {self.loss} has no marginals: {' and '.join(known)} has them")

    def save(self, path: str | PathLike[str], *, liblinear: bool = False) -> None:
        """Write a model file, whole or not at all; see `training.model_files.writing`.

        Raises ValueError with ``liblinear``, as LIBLINEAR has no transitions, and for labels that
        are no whole numbers.
        """
        if self.labels.dtype.kind not in "iu":
            raise ValueError(f"a model file has numbers as labels, not {self.labels[0]!r}")
        save_model(self, path, liblinear)

    def _by_names(self, problem: Any) -> Any:
        """The problem with its columns as the model's, by their names where both have some."""
        if self.feature_names is None:
            return problem
        return named("data.formats.opening:by_model")(problem, self.feature_names, "X")

    def _nodes(self, rows: Rows) -> NDArray[np.float64]:
        """The scores x_t'w_j of positions or nodes."""
        return product(rows.with_bias(self.bias), self.weights, self.n_features)


def in_parts(
    starts: NDArray[np.int64], n_parts: int, threads: int, part: Callable[[int, int], None]
) -> None:
    """Call part(first, last) for ``n_parts`` of the sequences, with about equally many positions.

    ``starts``: where sequences begin, and last the number of positions.
    """
    cuts = np.unique(np.searchsorted(starts, np.linspace(0, starts[-1], n_parts + 1)))
    cuts[-1] = len(starts) - 1
    bounds: Iterable[tuple[int, int]] = list(pairwise(cuts.tolist()))
    if threads == 1:
        for first, last in bounds:
            part(first, last)
    else:
        with thread_pool(threads) as pool:
            list(pool.map(lambda bound: part(*bound), bounds))
