"""A problem on its way to a solver."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import named
from rrmlinear.core.records import record, replace
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.solvers.loop.result import duals_by_scores

if TYPE_CHECKING:
    from rrmlinear.regularizers.base import Regularizer

#: Searches for the intercepts of a loss of k scores with kinks, by solvers that need no more than
#: an upper bound of F.
ROUGH_SEARCHES = 8


class Few(SimpleNamespace):
    """Choices by their names; those that are not made are None."""

    seed, threads = 0, 1

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


@record()
class Task:
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i), c_i the costs, with the choices for a solver.

    ``targets`` are the labels y of a loss of one score, and then ``n_classes`` is None; else they
    are class indices 0 … n_classes − 1. ``features`` are those that loss and regularizer offer.
    ``choices`` are the fields of a `Parameter`. ``start`` are duals to begin from, or None: α_i, or
    DualBlocks of a loss of blocks; ``weights`` are weights to begin from, in the shape that Ω
    takes, or None. ``risk`` is the sum if it exists already; else `whole` makes it.
    ``rows`` may be in `ColumnOrder` for the automatic solver of least squares alone.
    """

    rows: Any
    targets: NDArray[Any]
    n_classes: int | None
    costs: NDArray[np.float64]
    loss: Any
    regularizer: Regularizer
    features: frozenset[str]
    choices: Any
    start: Any = None
    risk: Any = None
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        risk: Any,
        regularizer: Regularizer,
        start: Any = None,
        weights: Any = None,
        **choices: Any,
    ) -> Task:
        """That of a risk which exists, with these choices and the defaults of others."""
        loss, made = getattr(risk, "loss", None), Few(**choices)
        none: Any = None
        features: frozenset[str] = frozenset()
        given = (none, none, none, none, loss, regularizer)
        return cls(*given, features, made, start, risk, weights)

    @classmethod
    def of_rows(
        cls,
        rows: Any,
        targets: NDArray[Any],
        costs: NDArray[np.float64],
        loss: Any,
        regularizer: Regularizer,
        n_classes: int | None = None,
        start: Any = None,
        **choices: Any,
    ) -> Task:
        """That of rows with labels or classes, with these choices and the defaults of others."""
        features = frozenset({"smooth"} if loss.differentiable else ())
        made = Few(**choices)
        return cls(rows, targets, n_classes, costs, loss, regularizer, features, made, start)

    def under(self, regularizer: Regularizer) -> Task:
        """The same with another Ω."""
        return replace(self, regularizer=regularizer)

    def by_rows(self) -> Task:
        """The same with rows in the usual order."""
        is_other = isinstance(self.rows, ColumnOrder)
        return replace(self, rows=self.rows.by_rows) if is_other else self

    @property
    def is_smooth(self) -> bool:
        """Whether the loss has no kinks."""
        return "smooth" in self.features

    def whole(self, searches: int | None = ROUGH_SEARCHES) -> Any:
        """F(w) = Σ_i c_i φ(x_i'w, y_i).

        If the intercept has no penalty, F is the minimum over it, found by this number of
        `Intercept.searches`; None: by as many as make it exact. With a budget m the duals have
        Σ c_i |α_i| ≤ C m.
        """
        if self.risk is not None:
            return self.risk
        rows, loss, y, costs = self.rows, self.loss, self.targets, self.costs
        choices, threads = self.choices, self.choices.threads
        condition: Any = None
        if choices.free_bias:
            intercept = named("risks.conditions.intercept:Intercept")
            condition = intercept() if searches is None else intercept(searches)
        if self.n_classes is not None:
            blocks = named("risks.scores:BlockRisk")
            return blocks(rows, loss, y, self.n_classes, costs, threads, condition=condition)
        if choices.budget is not None:
            budget = named("risks.conditions.budget:Budget")
            condition = budget(choices.C * choices.budget, beside=condition)
        return named("risks.scores:ScalarRisk")(rows, loss, y, costs, threads, condition)

    def first_duals(self) -> NDArray[np.float64] | None:
        """Duals to start from, in the risk's form: blocks per unit of cost, with the own class."""
        if "chain" in self.features:
            return None  # labellings are no start for steps on weights
        if self.start is None:
            return None
        if self.risk is not None and len(self.start) != len(self.risk.costs):
            return None  # those of a Result, without the bound of F* that the risk's own have
        if self.n_classes is None:
            return self.start  # type: ignore[no-any-return]
        return duals_by_scores(self.start, self.targets, self.costs, self.n_classes)

    def chosen(self, sentence: str) -> list[str]:
        """Notes of a solver that the automatic one chose, which begins from weights alone."""
        anew = self.start is not None and self.weights is None
        return [sentence, *(["it begins at w = 0, not at the duals given"] if anew else [])]

    def one_thread(self) -> list[str]:
        """The note of a solver that takes one thread where more are chosen."""
        threads = self.choices.threads
        return [f"it uses one thread, not {threads}"] if threads > 1 else []
