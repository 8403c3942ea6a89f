"""Times to an event: Cox regression."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rrmlinear.catalog.losses import ORDER_LOSSES
from rrmlinear.catalog.regularizers import check_numbers
from rrmlinear.catalog.rows import LossRow
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import float64_of
from rrmlinear.data.problem import Problem, vector_of
from rrmlinear.data.products import product
from rrmlinear.estimators.arguments import AT_LEAST_0, RANGES
from rrmlinear.estimators.objective import ProblemRow, unknown_name
from rrmlinear.estimators.orders.ranking import OrderModel, groups_of
from rrmlinear.estimators.scores import labelled, matrix_of, problem_of
from rrmlinear.exports.summary import Summary
from rrmlinear.pages.facts import DataFacts
from rrmlinear.training.costs import base_costs
from rrmlinear.training.order_measures import concordance

Array = NDArray[np.float64]
TIES = ("breslow", "efron")


def signed_times(y: Any) -> Any:
    """Times to an event with the sign − where they are censored, from the forms that `fit` takes.

    Raises ValueError for fields that are no event and time, events that are not 0 or 1, and times
    below 0 or not finite.
    """
    array = y if isinstance(y, np.ndarray) else np.asarray(y) if y is not None else None
    if array is None:
        return y
    if array.dtype.names is not None:
        kinds = [array.dtype[name].kind for name in array.dtype.names]
        if sorted(kind == "b" for kind in kinds) != [False, True]:
            raise ValueError(
                f"y has the fields {array.dtype.names}; it must have a boolean event and a time"
            )
        event, time = (array[array.dtype.names[kinds.index("b") ^ other]] for other in (0, 1))
    elif array.ndim == 2 and array.shape[1] == 2:
        time, event = float64_of(array, "times and events must be numbers").T
        wrong = event[(event != 0) & (event != 1)]
        if wrong.size:
            raise ValueError(f"y has the event {wrong[0]:g} in column 2; it must be 0 or 1")
    elif array.dtype.kind == "b":
        raise ValueError("y is boolean; it must have times: two columns, the time and the event")
    elif array.ndim == 2 and array.shape[1] > 2:
        raise ValueError(
            f"y has {array.shape[1]} columns; it must have two, the time and the event; times of "
            "entry are given as entry"
        )
    else:
        return y
    time = float64_of(time, "times must be numbers")
    wrong = np.flatnonzero(~(np.isfinite(time) & (time >= 0)))
    if wrong.size:
        raise ValueError(
            f"the time of example {wrong[0] + 1} is {time[wrong[0]]:g}; times must be finite and "
            "at least 0"
        )
    return np.where(np.asarray(event, dtype=bool), time, -time)


@dataclass(eq=False, repr=False, kw_only=True)
class CoxRegressor(OrderModel):
    r"""Cox regression of times to an event: the proportional hazards model, with a proof.

    Solves, with D the events, R_i the examples of the stratum of i whose times are at least t_i,
    and whose times of entry, where there are some, are below t_i, and sample weights c_i,

    .. math::
        \min_w \; \frac{1}{\sum_i c_i} \sum_{i \in D} c_i \Big[ \log \sum_{j \in R_i} c_j
        e^{w^\top x_j - w^\top x_i} \Big] + \alpha \Big( \rho \|w\|_1 + \frac{1 - \rho}{2} \|w\|^2
        \Big).

    ρ is ``l1_ratio``. Efron's ties replace the sum of the k-th of m events at one time, k from 0,
    by the sum less k/m of that over these events, each with their mean weight. A value or a
    gradient takes O(n) after a sort, and O(n log n) with times of entry. A larger score means an
    earlier event.

    Parameters
    ----------
    alpha : float, default=0.1
        Weight of the regularizer. With 0 there is none, as lifelines' default: Newton's method
        takes that, and ``l1_ratio`` has no effect. Where features separate the events from their
        risk sets the likelihood has no maximum; ``status_`` and a warning with these features say
        so.
    l1_ratio : float, default=0.0
        ρ: 0 is the squared norm, 1 the 1-norm, between them the elastic net.
    ties : {"breslow", "efron"}, default="breslow"
        What counts at a time of several events.
    solver : str, default="auto"
        "auto" is L-BFGS with ρ = 0, else Newton's method and accelerated gradients ("agm",
        "agm-1") in turn; "bmrm" and "ls-bmrm" are cutting planes.
    penalty_factors, tol, max_iter, random_state, n_jobs, warm_start, callback, verbose
        As in `ElasticNet`; a warm start takes the weights of the last fit.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights: logarithms of hazard ratios.
    intercept_ : float
        0: the baseline hazard takes its place.
    dual_coef_ : ndarray of shape (n_samples,)
        Minus the derivatives of the loss of all by the scores: the martingale residuals of Breslow.
    baseline_ : dict
        For each stratum the times of events, and the cumulative hazard of a score of 0 there, by
        Breslow's estimator for both kinds of ties.
    event_times_ : ndarray
        The times of events of all strata.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearRegressor`.

    References
    ----------
    D. R. Cox, "Regression models and life-tables", 1972; B. Efron, "The efficiency of Cox's
    likelihood function for censored data", 1977.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import CoxRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> times, censored = rng.exponential(np.exp(-X[:, 0])), rng.exponential(3.0, size=200)
    >>> y = np.column_stack([np.minimum(times, censored), times <= censored])
    >>> model = CoxRegressor(alpha=0.01).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    >>> model.predict_survival_function(X[:2], times=[0.5, 1.0, 2.0]).shape
    (2, 3)
    """

    _row = ProblemRow(weighing="mean")
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {**RANGES, "alpha": AT_LEAST_0}

    alpha: float = field(default=0.1, kw_only=False)
    l1_ratio: float = 0.0
    ties: Literal["breslow", "efron"] = "breslow"

    def _loss(self, n_classes: int) -> LossRow:
        if self.ties not in TIES:
            raise unknown_name("ties", self.ties, TIES)
        return ORDER_LOSSES[f"cox-{self.ties}"]

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        strata: Any = None,
        entry: Any = None,
    ) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with times and events y.

        y is a structured array of a boolean event and a time, as scikit-survival's; or two columns,
        the time and the event, 0 or 1; or n_samples times with the sign − where they are censored.
        ``strata`` (n_samples) are groups with baseline hazards of their own. ``entry`` (n_samples)
        are times after which examples are at risk, as late entry or left truncation has them. X may
        also be a container or an open `Problem`, whose labels are signed times and whose query ids
        are strata. Raises ValueError for parameters out of range, NaN or infinity, times below 0,
        entries that are not below the times, weights that are all zero, and where no example with a
        weight has an event.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        X, y, sample_weight = self._checked_data(X, signed_times(y), sample_weight, y_numeric=True)
        X = self._with_entry(X, y, sample_weight, entry)
        problem, chosen = self._fit_order(X, y, strata, "strata", sample_weight)
        self._set_baseline(problem, chosen, strata)
        return self

    def _with_entry(self, X: Any, y: Any, sample_weight: Any, entry: Any) -> Any:
        """X, or the problem of it with times of entry."""
        if entry is None:
            return X
        problem = problem_of(X, y, sample_weight, is_checked=True)
        return replace(problem, entry=vector_of(entry, "entry", problem.n_examples))

    def _labels_of(self, y: Any) -> Any:
        return signed_times(y)

    def _facts(self, X: Any, y: Any, groups: Any = None) -> DataFacts:
        return dataclasses.replace(super()._facts(X, np.abs(y), groups), groups_are="strata")

    def _set_baseline(self, problem: Problem, chosen: Any, strata: Any) -> None:
        groups = problem.query_ids
        names = np.zeros(1) if groups is None else np.unique(groups if strata is None else strata)
        sets = chosen.order_risk(problem, base_costs(problem, chosen.choices.C)).over
        scores = product(problem.rows, self.coef_[:, np.newaxis], problem.n_features)[:, 0]
        found = sets.baselines(scores)
        self.objective_ += sets.least / float(sets.weights.sum())
        self._has_strata = groups is not None
        self._log_baseline = dict(zip(names.tolist(), found, strict=True))
        with np.errstate(over="ignore"):
            self.baseline_ = {
                name: (at, np.exp(logs)) for name, (at, logs) in self._log_baseline.items()
            }
        self.event_times_ = np.unique(np.concatenate([times for times, _ in found]))

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of shape (n_samples,), logarithms of the hazard over its baseline: the larger, the
        earlier the event.
        """
        return self._scores(X).ravel()

    def score(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, strata: Any = None
    ) -> float:
        """Harrell's concordance of scores and times, `rrmlinear.metrics.concordance`.

        ``sample_weight`` must be None: pairs are counted, whenever examples came.
        """
        if sample_weight is not None:
            raise ValueError("sample_weight must be None: the concordance counts pairs")
        X, y, _ = labelled(X, signed_times(y))
        return concordance(y, -self.predict(X), groups_of(strata, X, len(y), "strata"))

    def summary(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        strata: Any = None,
        entry: Any = None,
    ) -> Summary:
        """Weights with standard errors, z, p values and intervals of this ``level``, and ratios of
        hazards.

        The errors are those of the partial likelihood: the inverse of its second derivatives, with
        those of a penalty, which marks them as conditional. Raises as `Ridge.summary`.
        """
        from rrmlinear.exports.summary import summary_of
        from rrmlinear.exports.summary_setting import setting_of

        check_is_fitted(self)
        X, y, sample_weight = labelled(X, signed_times(y), sample_weight)
        groups = groups_of(strata, X, len(y), "strata")
        entry = getattr(X, "entry", None) if entry is None else entry
        X = matrix_of(self, self._checked_rows(X))
        check_consistent_length(X, y)
        given = self._with_entry(X, y, sample_weight, entry)
        prepared = self._prepared(given, np.asarray(y, dtype=np.float64), sample_weight, groups)
        return summary_of(setting_of(self, X, y, prepared), level)

    def predict_cumulative_hazard_function(
        self, X: Any, times: Any = None, *, strata: Any = None
    ) -> Array:
        """H(t) of each row at these times, n_samples × n_times: that of the baseline times e^score.

        ``times`` are those of ``event_times_`` if None; ``strata`` are those of the rows, where the
        fit had some. Raises ValueError for strata that the fit did not have, and times that are no
        numbers.
        """
        check_is_fitted(self)
        scores = np.asarray(self.predict(X), dtype=np.float64)
        times = self.event_times_ if times is None else times
        check_numbers("times", times)
        times = np.asarray(times, dtype=np.float64).ravel()
        if np.isnan(times).any():
            raise ValueError("times has NaN; each must be a number, or inf")
        if self._has_strata and strata is None:
            raise ValueError("the fit had strata: give those of these rows as strata")
        given = np.asarray(strata).tolist() if self._has_strata else [next(iter(self.baseline_))]
        if self._has_strata and len(given) != len(scores):
            raise ValueError(f"strata have {len(given)} entries, and X has {len(scores)} rows")
        if unknown := set(given) - set(self.baseline_):
            raise ValueError(f"strata has {min(unknown, key=str)!r}, which the fit did not have")
        curves = {}
        for name in set(given):
            at, logs = self._log_baseline[name]
            places = np.searchsorted(at, times, side="right")
            curves[name] = np.concatenate([[-np.inf], logs])[places]
        own = np.array([curves[name] for name in given])
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(scores[:, np.newaxis] + own))

    def predict_survival_function(self, X: Any, times: Any = None, *, strata: Any = None) -> Array:
        """e^(−H(t)) of each row at these times, n_samples × n_times: the probability that the event
        is later; see `predict_cumulative_hazard_function`.
        """
        return np.exp(-self.predict_cumulative_hazard_function(X, times, strata=strata))
