"""A regularization path: one problem for many C, each begun from the last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import shared_rows
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.general import LinearClassifier, LinearRegressor
from rrmlinear.estimators.objective import (
    CLASSIFYING,
    REGRESSING,
    SOLVERS,
    find_loss,
    find_solver_type,
)
from rrmlinear.estimators.scores import opened, problem_of
from rrmlinear.pages.page import Section, write_page
from rrmlinear.pages.pictures import MOST_CLASSES, weights_along
from rrmlinear.pages.run import Cell, Table, versions
from rrmlinear.pages.words import formulas, title
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.stored import check_names

if TYPE_CHECKING:
    from rrmlinear.catalog.names import ClassLoss, NumberLoss


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
    problem      its name in the field
    formulas     the objective, a line each
    command      the call that made it
    feature_names  names of the features, None where the data have none
    """

    Cs: NDArray[np.float64]
    coefs: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    primals: NDArray[np.float64]
    gaps: NDArray[np.float64]
    passes: NDArray[np.int64]
    statuses: tuple[Status, ...]
    classes: NDArray[Any] | None
    problem: str
    formulas: Sequence[str]
    command: str
    feature_names: Sequence[str] | None = None

    def __repr__(self) -> str:
        m, k, d = self.coefs.shape
        solved = sum(status in (Status.SOLVED, Status.BOUNDED) for status in self.statuses)
        return (
            f"Path({self.problem}: {m} values of C from {self.Cs[0]:g} to {self.Cs[-1]:g}, "
            f"{solved} solved; coefs {m} × {k} × {d})"
        )

    @property
    def nonzeros(self) -> NDArray[np.int64]:
        """Features with a weight that is not zero, for each C."""
        return np.count_nonzero(self.coefs.any(axis=1), axis=1)

    def report(
        self,
        path: str | PathLike[str],
        *,
        feature_names: Sequence[str] | None = None,
        static: bool = False,
        command: str = "",
    ) -> None:
        """Write a page with the certificates and the largest weights along the path.

        A ``static`` page has no script, and SVG for pictures. ``command`` is shown as what made it,
        in place of the call. Raises ImportError without the
        packages of the extra ``report``, and ValueError for a wrong number of names.
        """
        feature_names = self.feature_names if feature_names is None else feature_names
        check_names(feature_names, self.coefs.shape[2])
        heads = ("C", "objective", "gap", "passes", "features in use", "")
        columns = (self.Cs, self.primals, self.gaps)
        rows = [
            [*(f"{column[i]:.6g}" for column in columns), self.passes[i], self.nonzeros[i], why]
            for i, why in enumerate(_verdict(status) for status in self.statuses)
        ]
        labels = [] if self.classes is None else [f"label {each}" for each in self.classes]
        names = labels or [""]
        pictures = [
            weights_along(
                self.Cs, self.coefs[:, j], names[-1 if len(names) == 2 else j], feature_names
            )
            for j in range(min(self.coefs.shape[1], MOST_CLASSES))
        ]
        problem = Section("Problem", formulas=self.formulas)
        section = Section("Path", pictures=pictures, tables=[Table("Each C", heads, rows)])
        made = Section("How it was made", [("command", command or self.command), *versions()])
        name = f"{self.problem}: a path over {len(self.Cs)} values of C"
        write_page(path, name, [section, problem, made], static=static)


def _verdict(status: Status) -> Cell:
    if status in (Status.SOLVED, Status.BOUNDED):
        return Cell("solved", "good")
    return Cell(status.value, "" if status is Status.RULE else "bad")


def path(
    X: Any,
    y: Any = None,
    *,
    loss: ClassLoss | NumberLoss = "squared-hinge",
    Cs: int | Iterable[float] = 10,
    sample_weight: Any = None,
    **choices: Any,
) -> Path:
    """minimize Ω(w) + C Σ_i φ_i(w) over w, for each of many C; Ω is ½‖w‖² + S‖w‖₁ or a named one.

    ``Cs`` are the values of C in any order, or how many, spaced evenly in the logarithm from 1e-4
    to 1e4. The problems are solved from the smallest C (the strongest regularization) on, each
    begun from the duals of the one before, by the solvers that can. X is arrays, with numbers or
    labels y, or a container, as `LinearClassifier.fit` takes it. ``loss`` and ``choices`` are
    those of `LinearClassifier`, or of `LinearRegressor` for a loss of residuals. For λ of
    (1/n) Σ φ_i + λ Ω give C = 1/(λ n).

    Raises ValueError for an empty or wrong ``Cs``, and what the estimators raise; warns
    (ConvergenceWarning) of each C that did not reach ``tol``.
    """
    asked = {"loss": loss, "Cs": Cs, **choices}
    for name in ("C", "alpha", "warm_start"):
        if name in choices:
            raise ValueError(f"{name} may not be given: the path runs over Cs, with warm starts")
    kind = find_loss(loss, CLASSIFYING + REGRESSING).kind
    family: Any = LinearRegressor if kind in REGRESSING else LinearClassifier
    starts = find_solver_type(choices.get("solver", "auto"), SOLVERS).starts
    estimator = family(loss, warm_start=starts, **choices)
    values = _values(Cs)
    X = opened(X) or X  # a container is verified once
    steps: list[Any] = []
    ends: list[tuple[float, Any]] = []
    for C in values:
        _go_ahead(estimator, ends, 1 / C)
        estimator.set_params(C=float(C))
        if not steps:
            estimator.fit(X, y, sample_weight)
            shared = None if len(values) == 1 else _shared(estimator, X, y, sample_weight)
        elif shared is None:
            estimator.fit(X, y, sample_weight)
        else:
            estimator.refit(*shared)
        steps.append(
            (
                np.atleast_2d(estimator.coef_),
                np.atleast_1d(estimator.intercept_),
                estimator.trace_[-1].primal,
                estimator.trace_[-1].gap,
                estimator.n_iter_,
                estimator.status_,
            )
        )
    fitted, chosen = estimator._training_
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
        title(fitted, chosen, len(getattr(estimator, "classes_", ()))),
        formulas(fitted, chosen),
        f"path({', '.join(f'{name}={value!r}' for name, value in asked.items())})",
        getattr(estimator, "feature_names_in_", None),
    )


def _go_ahead(estimator: Any, ends: list[tuple[float, Any]], level: float) -> None:
    """Let the next fit begin on the line through the last two, by their levels 1/C: between two C
    at which weights become 0, solutions of the Lasso lie on one. Weights do not change their signs.
    """
    known = getattr(estimator, "_last_weights", None)
    if known is None or not estimator.warm_start:
        return
    labels, last = known
    ends.append((1 / estimator.C, last))
    if len(ends) < 2 or ends[-2][1].shape != last.shape or ends[-1][0] == ends[-2][0]:
        return
    (one, before), (two, _) = ends[-2:]
    ahead = last + (level - two) / (two - one) * (last - before)
    estimator._last_weights = labels, np.where(ahead * last > 0, ahead, 0.0)
    del ends[:-2]


def _shared(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any] | None:
    """The checked data of all fits, whose rows keep what they have in common; None where a fit
    takes them as they are.
    """
    if isinstance(X, Problem) or np.ndim(y) != 1:
        return None
    numbers = {"y_numeric": True} if isinstance(estimator, LinearRegressor) else {}
    X, y, weights = estimator._checked_data(X, y, sample_weight, **numbers)
    any_order = estimator._takes_any_order()
    problem = problem_of(X, np.zeros(len(y)), None, any_order, is_checked=True)
    return replace(problem, rows=shared_rows(problem.rows)), y, weights


def _values(Cs: int | Iterable[float]) -> NDArray[np.float64]:
    if not isinstance(Cs, Iterable):
        if not isinstance(Cs, Integral) or Cs < 1:
            raise ValueError(f"Cs is {Cs!r}; it must be a whole number from 1 on, or values")
        return np.logspace(-4, 4, int(Cs))
    values = np.sort(np.array(list(Cs), dtype=np.float64))
    if not values.size:
        raise ValueError("Cs is empty; at least one value is needed")
    if not (np.isfinite(values).all() and values[0] > 0):
        raise ValueError(f"Cs has {values[0]:g}; all values must be finite and above 0")
    return values
