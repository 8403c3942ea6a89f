"""What a fit of many labels is asked in addition to its parameter."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record

if TYPE_CHECKING:
    from rrmlinear.training.labels.label_model import LabelModel


@record()
class LabelTerms:
    """The terms of `fit_labels`, which has their meaning."""

    costs: Any = None
    positive_weight: Any = 1.0
    prune: float = 0.0
    keeps_duals: bool = False
    start: LabelModel | None = None
    known: LabelModel | None = None
    journal: str | PathLike[str] | None = None

    def sides(self, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What multiplies the costs of rows with each of k labels, and of others.

        Raises ValueError for these numbers, and for prune, where they are wrong.
        """
        if not 0 <= self.prune < np.inf:
            raise ValueError(f"prune is {self.prune!r}; it must be a finite number of at least 0")
        own = numbers_of(self.costs, k, "costs")
        return own * numbers_of(self.positive_weight, k, "positive_weight"), own


DEFAULT_TERMS = LabelTerms()


def numbers_of(given: Any, k: int, name: str) -> NDArray[np.float64]:
    """A finite number of at least 0 for each of k labels, from those or one for all; None: 1.

    Raises ValueError for others.
    """
    values = np.asarray(1.0 if given is None else given, dtype=np.float64)
    if values.shape not in ((), (k,)):
        raise ValueError(f"{name} has shape {values.shape}; it must be a number, or {k} of them")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"{name} must be finite and at least 0")
    return np.ascontiguousarray(np.broadcast_to(values, (k,)))
