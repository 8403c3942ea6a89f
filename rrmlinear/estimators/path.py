"""A regularization path: one problem for many C, each begun from the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.solvers import find_solver
from rrmlinear.estimators import nonsmooth, risk
from rrmlinear.estimators.arguments import check_count, check_positive
from rrmlinear.estimators.nonsmooth import NonSmoothClassifier, NonSmoothRegressor
from rrmlinear.estimators.objective import find_loss
from rrmlinear.estimators.risk import RiskClassifier, RiskRegressor
from rrmlinear.estimators.sdca import SDCAClassifier, SDCARegressor
from rrmlinear.solvers.loop.result import Status

# Classifier and regressor of solvers by their names, and of those that visit examples.
FAMILIES: tuple[tuple[Mapping[str, int | str], tuple[type, type]], ...] = (
    (risk.SOLVERS, (RiskClassifier, RiskRegressor)),
    (nonsmooth.SOLVERS, (NonSmoothClassifier, NonSmoothRegressor)),
)
VISITING: tuple[type, type] = (SDCAClassifier, SDCARegressor)


@dataclass(frozen=True, eq=False)
class Path:
    """Solutions along a path, strongest regularization first; each array has m entries or rows.

    Cs           the m values of C, rising
    coefs        m × k × d weights; k is 1 for two classes and for regression
    intercepts   m × k
    primals      objectives Ω(w) + C Σ φ_i
    gaps         duality gaps in that scale: primal minus a lower bound on the minimum
    passes       passes over the data that each took, beginning from the one before
    statuses     why the solver stopped: `Status` values
    classes      the labels, sorted; None for regression
    """

    Cs: NDArray[np.float64]
    coefs: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    primals: NDArray[np.float64]
    gaps: NDArray[np.float64]
    passes: NDArray[np.int64]
    statuses: tuple[Status, ...]
    classes: NDArray[Any] | None

    @property
    def nonzeros(self) -> NDArray[np.int64]:
        """Features with a weight that is not zero, for each C."""
        return np.count_nonzero(self.coefs.any(axis=1), axis=1)


def path(
    X: Any,
    y: Any,
    *,
    loss: str = "squared-hinge",
    Cs: int | Iterable[float] = 10,
    sample_weight: Any = None,
    **choices: Any,
) -> Path:
    """minimize Ω(w) + C Σ_i φ_i(w) over w, for each of many C; Ω is ½‖w‖² + S‖w‖₁ or a named one.

    ``Cs`` are the values of C in any order, or how many, spaced evenly in the logarithm from 1e-4
    to 1e4. The problems are solved from the smallest C (the strongest regularization) on, each
    begun from the duals of the one before, by the solvers that can. ``loss`` and ``choices`` are
    those of `SDCAClassifier`, or of `SDCARegressor` for a loss of residuals: l1, l1_ratio, tol,
    max_passes, fit_intercept, …; with a ``solver`` of `RiskClassifier` or `RiskRegressor`, "auto"
    among them, or of `NonSmoothClassifier` or `NonSmoothRegressor`, theirs (an intercept that is
    not regularized, a ``regularizer``, a ``budget``, …).
    For λ of (1/n) Σ φ_i + λ Ω give C = 1/(λ n).

    Raises ValueError for an empty or wrong ``Cs``, and what the estimators raise; warns
    (ConvergenceWarning) of each C that did not reach ``tol``.
    """
    for name in ("C", "alpha", "warm_start"):
        if name in choices:
            raise ValueError(f"{name} may not be given: the path runs over Cs, with warm starts")
    kind = find_loss(loss, ("binary", "multiclass", "regression")).kind
    asked = choices.get("solver", "")
    family, starts = VISITING, True
    for solvers, estimators in FAMILIES:
        if asked in solvers:
            family, starts = estimators, find_solver(solvers[asked]).starts
    estimator = family[kind == "regression"](loss, warm_start=starts, **choices)
    values = _values(Cs)
    steps = []
    for C in values:
        estimator.set_params(C=float(C)).fit(X, y, sample_weight)
        steps.append(
            (
                np.atleast_2d(estimator.coef_),
                np.atleast_1d(estimator.intercept_),
                estimator.trace_[-1].primal,
                estimator.duality_gap_,
                estimator.n_iter_,
                estimator.status_,
            )
        )
    coefs, intercepts, primals, gaps, passes, statuses = zip(*steps, strict=True)
    return Path(
        values,
        np.stack(coefs),
        np.stack(intercepts),
        np.array(primals),
        np.array(gaps),
        np.array(passes),
        statuses,
        getattr(estimator, "classes_", None),
    )


def _values(Cs: int | Iterable[float]) -> NDArray[np.float64]:
    if not isinstance(Cs, Iterable):
        check_count("Cs", Cs)
        return np.logspace(-4, 4, int(Cs))
    values = list(Cs)
    if not values:
        raise ValueError("Cs is empty; at least one value is needed")
    for at, C in enumerate(values):
        check_positive(f"Cs[{at}]", C)
    return np.sort(np.array(values, dtype=np.float64))
