"""The base of linear regressions: predictions are scores or means, of one target or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import replace
from rrmlinear.data.labels import log_exposure
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import check_some_weight
from rrmlinear.estimators.objective import REGRESSING
from rrmlinear.estimators.scores import Scored, labelled, problem_of
from rrmlinear.estimators.unregularized.intercepts import after
from rrmlinear.solvers.loop.result import Result, Status, TraceRow
from rrmlinear.training.offsets import deviance, moved


class Regressor(Scored, RegressorMixin):
    """A `LinearModel` whose predictions are scores, or the means that these stand for."""

    warm_start: bool
    coef_: Any
    intercept_: Any
    _training_: Any
    _trainings_: Sequence[Any]

    _kinds: ClassVar[tuple[str, ...]] = REGRESSING
    #: Whether y may have several targets, which are fitted one by one.
    _several_targets: ClassVar[bool] = False
    #: The gaps of several targets in the last fit.
    _gaps: ClassVar[Any] = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with numbers y (n_samples).

        `Ridge`, `Lasso` and `ElasticNet` also take n_samples × n_targets. X may also be the path of
        a container or an open `Problem`, which have numbers and weights in themselves.
        ``sample_weight`` (n_samples, at least 0) counts examples as repeated. Raises ValueError for
        parameters out of range, NaN or infinity, weights that are all zero, an alpha for another
        number of targets, and y or weights with a container.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        return self._fit(X, y, sample_weight)

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, offset: Any = None, exposure: Any = None
    ) -> Self:
        self._validate_params()
        how = {"y_numeric": True} | ({"multi_output": True} if self._several_targets else {})
        X, y, sample_weight = self._checked_data(X, y, sample_weight, **how)
        if self._several_targets:
            self.fit_targets(X, y, sample_weight)
            return self
        known = self._offsets(offset, exposure, y)
        self.__dict__.pop("_had_offset", None)
        given = offset, exposure, getattr(X, "offset", None)
        if any(each is not None for each in given):
            self._had_offset = True
        self._set_certificate(self._fit_checked(X, y, sample_weight, known), self._scale)
        return self

    def _offsets(self, offset: Any, exposure: Any, y: Any) -> Any:
        """What `_fit_checked` takes as offset."""
        return log_exposure(offset, exposure, len(y))

    def fit_from(self, start: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` on checked data with one target, begun at (weights, intercept)."""
        weights, intercept = start
        residual = y - (safe_sparse_dot(X, weights) + intercept)
        self.dual_coef_ = np.asarray(residual, dtype=np.float64)
        asked, self.warm_start = self.warm_start, True
        column = weights[:, np.newaxis]
        if self.fit_intercept:
            column = np.append(column, [[intercept]], axis=0)
        self._last_weights = np.zeros(0, dtype=np.int64), column
        self._checked_data(X, y, sample_weight, y_numeric=True)
        try:
            self.refit(X, y, sample_weight)
        finally:
            self.warm_start = asked

    def fit_targets(self, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` of a class of several targets, on data that is checked."""
        own: Any = self
        self.solver_ = self.solver
        if y.ndim == 1 and np.ndim(own.alpha) == 0:
            self.refit(X, y, sample_weight)
            self._gaps = None  # type: ignore[misc]
            self._trainings_ = []
            return
        targets = y.reshape(len(y), -1)
        together = self._fit_copies(self._copies(targets.shape[1]), X, targets, sample_weight)
        if targets.shape[1] == 1:  # scikit-learn's shapes
            self.coef_ = self.coef_[0]
        if y.ndim == 1:
            self.dual_coef_, self.intercept_ = self.dual_coef_[:, 0], self.intercept_[0]
        self._set_certificate(together)

    def _fit_copies(self, copies: list[Self], X: Any, targets: Any, sample_weight: Any) -> Result:
        """Fit an estimator to each column of targets; their certificate in the class's units."""
        results = [
            copy._fit_checked(X, targets[:, j], sample_weight) for j, copy in enumerate(copies)
        ]
        self._targets = copies if self.warm_start else []
        self.coef_ = np.stack([copy.coef_ for copy in copies])
        self.intercept_ = np.array([copy.intercept_ for copy in copies])
        self.dual_coef_ = np.column_stack([result.duals for result in results])
        scales = [copy._scale for copy in copies]
        gaps = np.array([s * result.gap for s, result in zip(scales, results, strict=True)])
        self._gaps = None if len(gaps) == 1 else gaps  # type: ignore[misc]
        trainings = [copy._training_ for copy in copies]
        self._trainings_ = [(chosen, s) for (_, chosen), s in zip(trainings, scales, strict=True)]
        # One with a regularizer, where any has: it gives the page its title.
        self._training_ = min(trainings, key=lambda training: training[1].C)
        return _together(results, scales)

    def _columns(self, n_scores: int) -> list[str]:
        return [f"target {j + 1}" for j in range(n_scores)] if n_scores > 1 else ["prediction"]

    def _copies(self, n_targets: int) -> list[Self]:
        """An estimator of each target; those of the last fit if it had as many targets."""
        if np.size(self.alpha) not in (1, n_targets):
            raise ValueError(
                "Number of targets and number of penalties do not correspond: "
                f"{np.size(self.alpha)} != {n_targets}"
            )
        alphas = np.broadcast_to(np.ravel(self.alpha), n_targets).astype(np.float64)
        return self._with_each("alpha", alphas.tolist())

    def _with_each(self, name: str, values: list[float], **others: Any) -> list[Self]:
        """An estimator with each value; those of the last fit if they were as many."""
        own = {each: getattr(self, each) for each in type(self)().get_params()}
        last = getattr(self, "_targets", [])
        copies = last if len(last) == len(values) else [type(self)() for _ in values]
        for copy, value in zip(copies, values, strict=True):
            copy.set_params(**own | {name: value} | others)
        return copies

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any, offset: Any = None) -> Result:
        problem, chosen = self._prepared(X, y, sample_weight)
        if offset is not None:
            problem = replace(problem, offset=offset)
        if problem.offset is not None:
            problem = moved(problem, chosen)
        last = getattr(self, "dual_coef_", None) if self.warm_start else None
        start = last if last is not None and last.shape == np.shape(y) else None
        model, result = self._solve(problem, chosen, start)
        self._set_weights(model, model.weights.T)
        self.coef_ = self.coef_[0]
        self.intercept_ = self._single_intercept(self.intercept_[0])
        self.dual_coef_ = result.duals
        return result

    def _single_intercept(self, intercept: float) -> Any:
        """``intercept_`` in the form that scikit-learn's class of this name has."""
        return intercept

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> tuple[Problem, Selection]:
        problem = problem_of(X, y, sample_weight, self._takes_any_order(), is_checked=True)
        if problem.weights is not None:
            check_some_weight(problem, None)
        return self._chosen(problem, self._loss(0))

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Predicted numbers, of shape (n_samples,), or (n_samples, n_targets) after a matrix of
        targets: scores, or the means of counts and costs.
        """
        scores = self._scores(X)
        return self._loss(0).means(scores.ravel() if np.ndim(self.coef_) == 1 else scores)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² on X with y, or of a deviance D² = 1 − its share of that of the mean label."""
        if self._loss(0).link is None:
            return super().score(X, y, sample_weight)
        return self._explained(X, y, sample_weight)

    def _explained(
        self, X: Any, y: Any, sample_weight: Any, offset: Any = None, exposure: Any = None
    ) -> float:
        """1 − the deviance at the scores over that of the best constant with the offsets."""
        X, y, sample_weight = labelled(X, y, sample_weight)
        if isinstance(X, Problem) and X.offset is not None and offset is None is exposure:
            offset = X.offset
        found = np.asarray(self._scores(X).ravel(), dtype=np.float64)
        return self._explained_by(found, y, sample_weight, offset=offset, exposure=exposure)

    def _explained_by(
        self, found: NDArray[np.float64], y: Any, sample_weight: Any, **known: Any
    ) -> float:
        """`predict` from scores that are known."""
        row = self._loss(0)
        y = np.asarray(y, dtype=np.float64).ravel()
        row.check_labels(y)
        given = Problem.from_arrays(np.ones((len(y), 1)), y, sample_weight, **known)
        check_some_weight(given, None)
        given, chosen = self._chosen(given, row)
        given = moved(given, chosen)
        y = given.labels
        weights = np.ones(len(y)) if given.weights is None else given.weights
        mean = np.full(len(y), np.average(y, weights=weights))
        counts = weights > 0
        if np.ptp(y[counts]) == 0:  # as R² of scikit-learn
            return float(np.allclose(row.means(found[counts]), y[counts]))
        return 1 - deviance(chosen, y, found, weights) / deviance(
            chosen, y, row.scores(mean), weights
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several_targets
        return tags


def _together(results: Sequence[Result], scales: Sequence[float]) -> Result:
    """The certificate of all problems together; a scale turns each objective into the class's."""
    trace: list[TraceRow] = []
    for result in results:
        trace += [after(trace, row) for row in result.trace]
    primal, dual, gap, target = (
        sum(scale * getattr(result, name) for result, scale in zip(results, scales, strict=True))
        for name in ("primal", "dual", "gap", "target")
    )
    trace.append(replace(trace[-1], primal=primal, dual=dual, gap=gap, estimated=False))
    worst = max((result.status for result in results), key=list(Status).index)
    return replace(results[-1], status=worst, trace=trace, target=target)


class Offsets:
    """A `Regressor` whose scores may have offsets."""

    _fit: Callable[..., Any]
    _scores: Callable[..., Any]
    _loss: Callable[..., Any]
    _explained: Callable[..., float]

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
    ) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with numbers y (n_samples).

        X may also be the path of a container or an open `Problem`, which have numbers and weights
        in themselves. ``sample_weight`` (n_samples, at least 0) counts examples as repeated.
        ``offset`` (n_samples or one number) is added to scores; ``exposure`` (at least 0) is the
        offset log exposure, for means e^a: y counts what happened in it. Raises ValueError for
        parameters out of range, NaN or infinity, weights that are all zero, y or weights with a
        container, labels that the loss does not take, and an offset with other losses.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        return self._fit(X, y, sample_weight, offset, exposure)

    def predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> NDArray[np.floating[Any]]:
        """Predicted numbers, of shape (n_samples,): scores, or the means of counts and costs.

        ``offset`` and ``exposure`` are as in `fit`; without them predictions are those of 0 and 1.
        """
        scores = self._scores(X).ravel()
        known = log_exposure(offset, exposure, len(scores))
        if known is None and isinstance(X, Problem):
            known = X.offset
        return self._loss(0).means(scores if known is None else scores + known)

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
    ) -> float:
        """R² on X with y, or of a deviance D² = 1 − its share of that of the best constant.

        ``offset`` and ``exposure`` are as in `fit`; the constant has them too.
        """
        if offset is None is exposure and not isinstance(X, Problem):
            found: float = super().score(X, y, sample_weight)  # type: ignore[misc]
            return found
        return self._explained(X, y, sample_weight, offset, exposure)
