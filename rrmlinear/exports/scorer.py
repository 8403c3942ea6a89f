"""A trained linear model as others need it: scores, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.solvers import find_solver
from rrmlinear.core.records import record
from rrmlinear.exports.bases import KernelBasis, StumpBasis

#: What scores mean: a class each, numbers, inliers above 0, or labels, any number of them a row.
CLASSES, NUMBERS, INLIERS, LABELS = "classes", "numbers", "inliers", "labels"


@record()
class Scorer:
    """m scores x'w_j + b_j of a row x, and what they mean.

    ``weights`` is m × d, dense or sparse, and ``intercepts`` has m numbers. ``meaning`` is one of
    the above. Of CLASSES one score means ``classes[positive]`` where it is above 0, and the other
    class elsewhere; of several the class of the first largest score is meant. INLIERS have 1 above
    0, else −1. LABELS are those with a score above ``limits``, or the ``top_k`` largest.

    ``link`` makes probabilities of scores: "sigmoid", normalized over several classes, "softmax",
    or None. Of NUMBERS it makes the numbers predicted: "exp" or "sigmoid". ``names`` are those of
    the features, if known. With ``bases`` the scores are linear in their columns, side by side.
    Several numbers may have ``titles``, and are sorted along each row where they are ``rising``.
    """

    weights: Any
    intercepts: NDArray[np.float64]
    meaning: str
    classes: NDArray[Any] | None = None
    positive: int = 1
    link: str | None = None
    names: NDArray[Any] | Sequence[str] | None = None
    bases: Sequence[KernelBasis | StumpBasis] = ()
    limits: NDArray[np.float64] | None = None
    top_k: int | None = None
    titles: Sequence[str] = ()
    rising: bool = False

    @property
    def dense(self) -> NDArray[np.float64]:
        """The weights as an array, m × d."""
        full = self.weights.toarray() if hasattr(self.weights, "toarray") else self.weights
        return np.asarray(full, dtype=np.float64)

    @property
    def n_features(self) -> int:
        """Of a row X."""
        return self.bases[0].n_features if self.bases else int(self.weights.shape[1])

    @property
    def columns(self) -> list[str]:
        """Words for each score."""
        if self.meaning == INLIERS:
            return ["inlier"]
        if self.titles:
            return list(self.titles)
        if self.classes is None:
            m = self.weights.shape[0]
            return ["weight"] if m == 1 else [f"target {j}" for j in range(m)]
        if self.weights.shape[0] == 1 and self.meaning == CLASSES:
            return [str(self.classes[self.positive])]
        return [str(each) for each in self.classes.tolist()]

    @property
    def features(self) -> list[str]:
        """A name for each feature: x0, x1, … where none is known."""
        if self.names is None:
            return [f"x{j}" for j in range(self.n_features)]
        return [str(name) for name in self.names]


def scorer_of_model(model: Any) -> Scorer:
    """That of a `Model`; classes are in sorted order."""
    d = model.n_features
    weights = np.asarray(model.weights[:d].T, dtype=np.float64)
    intercepts = np.zeros(len(weights))
    if model.bias >= 0:
        intercepts = model.bias * model.weights[d]
    if model.rho is not None:
        intercepts = intercepts - model.rho
    if model.is_regression:
        titles = [f"quantile {level:g}" for level in model.levels or ()]
        return Scorer(weights, intercepts, NUMBERS, link=model.link, titles=titles)
    if model.loss is not None and loss_row(model.loss).kind == "one-class":
        return Scorer(weights, intercepts, INLIERS)
    if len(model.labels) < 2:
        raise ValueError(f"the model has one label, {model.labels[0]}, and nothing to tell apart")
    order = np.argsort(model.labels)
    if len(order) == 2:
        if len(weights) == 2:  # a score above that of the second label, or 0, means the first
            alone = find_solver(model.solver_name).is_liblinear
            first = np.array([1.0, 0.0 if alone else -1.0])
            weights, intercepts = first[np.newaxis] @ weights, np.atleast_1d(first @ intercepts)
        positive = int(order[1] == 0)
    else:
        positive, weights, intercepts = 1, weights[order], intercepts[order]
    return Scorer(weights, intercepts, CLASSES, model.labels[order], positive, model.link)
