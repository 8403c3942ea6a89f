"""Ranks within queries: a linear score that orders examples."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.losses import ORDER_LOSSES
from rrmlinear.catalog.rows import LossRow
from rrmlinear.core.records import replace
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import RANGES, check_some_weight
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import REGRESSING, SOLVERS, ProblemRow, unknown_name
from rrmlinear.estimators.scores import labelled, problem_of
from rrmlinear.pages.facts import DataFacts
from rrmlinear.training.order_measures import kendall_tau, ndcg, order_predictions
from rrmlinear.training.starts import Point, Start


@dataclass(eq=False, repr=False, kw_only=True)
class OrderModel(RegressorMixin, LinearModel):
    """A linear score whose loss is of the order of all examples, in groups."""

    _kinds = REGRESSING
    _solvers: ClassVar[Mapping[str, int | str]] = {
        name: SOLVERS[name] for name in ("auto", "agm", "agm-1", "bmrm", "ls-bmrm")
    }
    fit_intercept: ClassVar[Any] = False  # type: ignore[misc]
    penalty_factors: Any = None

    def _fit_order(self, X: Any, y: Any, groups: Any, name: str, sample_weight: Any) -> Any:
        """Set the weights for data that are checked; their problem, and the choices."""
        problem, chosen = self._prepared(X, y, sample_weight, groups_of(groups, X, len(y), name))
        model, result = self._solve(problem, chosen, None)
        self._set_weights(model, model.weights.T)
        self.coef_ = self.coef_[0]
        self.intercept_ = 0.0
        self.dual_coef_ = result.duals
        self._set_certificate(result, self._scale)
        return problem, chosen

    def _prepared(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> tuple[Any, Any]:
        problem = replace(problem_of(X, y, sample_weight, is_checked=True), query_ids=groups)
        if problem.weights is not None:
            check_some_weight(problem, None)
        return self._chosen(problem, self._loss(0))

    def report(
        self,
        path: str | PathLike[str],
        X: Any = None,
        y: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        groups: Any = None,
        groups_test: Any = None,
        feature_names: Sequence[str] | None = None,
        static: bool = False,
    ) -> None:
        """Write a page about the last fit, as `Ridge.report` does.

        ``groups`` and ``groups_test`` are the queries or the strata of the rows. The page has the
        nDCG of the best ten of each query and Kendall's τ, or the concordance and survival curves
        of thirds of the scores.
        """
        check_is_fitted(self)
        told, known = [], []
        sets = (("training data", X, y, groups), ("test data", X_test, y_test, groups_test))
        for name, data, true, own in sets:
            if data is not None or true is not None:
                if data is None or (
                    true is None and not isinstance(data, Problem | str | PathLike)
                ):
                    raise ValueError(f"X and y of the {name} are given together, or neither")
                data, true, _ = labelled(data, self._labels_of(true))
                given = groups_of(own, data, len(true), "groups")
                scores = np.asarray(self._scores(data).ravel(), dtype=np.float64)
                true = np.asarray(true, dtype=np.float64).ravel()
                told.append(order_predictions(name, self._loss(0).name, true, scores, given))
            known.append((data, true))
        X, y = known[0]
        own = None if X is None else groups_of(groups, X, len(y), "groups")
        self._write_run(path, told, X, y, feature_names, static, own)

    def _facts(self, X: Any, y: Any, groups: Any = None) -> DataFacts:
        queries = None if groups is None else len(np.unique(groups))
        return dataclasses.replace(super()._facts(X, y), queries=queries)

    def _labels_of(self, y: Any) -> Any:
        """The labels of the loss, from the forms that `fit` takes."""
        return y

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # the score is no R²
        return tags

    def _with_weights(self, duals: Start, problem: Problem, chosen: Any) -> Start:
        """The weights of the last fit, without duals."""
        last = getattr(self, "_last_weights", None)
        return Point(last[1]) if self.warm_start and last is not None else None


def groups_of(groups: Any, X: Any, n: int, name: str) -> NDArray[np.int64] | None:
    """The numbers of the groups of n examples: those given, or those of a container."""
    if groups is None:
        return X.query_ids if isinstance(X, Problem) else None
    groups = np.asarray(groups)
    if groups.shape != (n,):
        raise ValueError(f"{name} has shape {groups.shape}; it must have {n} entries, one a row")
    if groups.dtype.kind == "f" and not np.isfinite(groups).all():
        raise ValueError(f"{name} has values that are not finite")
    try:
        return np.unique(groups, return_inverse=True)[1].ravel().astype(np.int64)
    except TypeError:
        kinds = ", ".join(sorted({type(each).__name__ for each in groups.tolist()}))
        raise ValueError(
            f"{name} has values of several kinds, {kinds}; they must be numbers, or words"
        ) from None


@dataclass(eq=False, repr=False, kw_only=True)
class RankingSVM(OrderModel):
    r"""Linear scores that rank the examples of each query: the ranking support vector machine.

    Solves

    .. math::
        \min_w \; \Omega(w) + C \sum_q \sum_{i, j \in q : y_i > y_j} c_i c_j
        \varphi(w^\top x_i - w^\top x_j)

    over pairs of examples of one query, where Ω is ½‖w‖² or ‖w‖₁ and c_i is the sample weight: an
    example of weight 2 counts as two. A value or a gradient takes O(n log n) by sorting, for any
    number of grades; the logistic loss, and steps of Newton's method, look at the pairs of a query,
    some at a time, in O(n) of memory. There is no intercept: differences do not see it. With one
    query and two grades the hinge loss bounds 1 − the area under the ROC curve.

    Parameters
    ----------
    loss : {"squared-hinge", "hinge", "logistic"}, default="squared-hinge"
        φ(t): max(0, 1 − t)², max(0, 1 − t) or log(1 + e^(−t)).
    penalty : {"l2", "l1"}, default="l2"
        Ω.
    C : float, default=1.0
        Cost of a pair.
    solver : str, default="auto"
        "auto": L-BFGS for losses without a kink and "l2", cutting planes for the hinge, else
        accelerated gradients, and Newton's method for losses without a kink. "bmrm" and "ls-bmrm"
        are cutting planes, "agm" and "agm-1" accelerated gradients.
    penalty_factors, tol, max_iter, random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`; a warm start takes the weights of the last fit.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        0.
    dual_coef_ : ndarray of shape (n_samples,)
        Of each example the sum of the duals of its pairs, those where it is the lower one with the
        sign −, per unit of C.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearRegressor`.

    References
    ----------
    T. Joachims, "Training linear SVMs in linear time", 2006; C.-P. Lee and C.-J. Lin, "Large-scale
    linear RankSVM", 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import RankingSVM
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> y, qid = np.digitize(X[:, 0] - X[:, 1], [-1.0, 0.0, 1.0]), np.repeat(np.arange(6), 10)
    >>> model = RankingSVM(C=0.1).fit(X, y, qid=qid)
    >>> bool(model.score(X, y, qid=qid) > 0.95 and model.ndcg(X, y, qid=qid, k=3) > 0.95)
    True
    """

    _row = ProblemRow()
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {**RANGES}

    loss: Literal["hinge", "squared-hinge", "logistic"] = field(
        default="squared-hinge", kw_only=False
    )
    penalty: Literal["l2", "l1"] = "l2"
    C: float = 1.0

    def _loss(self, n_classes: int) -> LossRow:
        known = [name[5:] for name in ORDER_LOSSES if name.startswith("rank-")]
        if self.loss not in known:
            raise unknown_name("loss", self.loss, known)
        return ORDER_LOSSES[f"rank-{self.loss}"]

    def regularizer_name(self) -> str:
        """That of the penalty."""
        if self.penalty not in ("l2", "l1"):
            raise unknown_name("penalty", self.penalty, ("l2", "l1"))
        return self.penalty

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, qid: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with grades y (n_samples).

        ``qid`` (n_samples) is the query of each example, in any order; without it all are of one
        query. X may also be the path of a container or an open `Problem`, such as `read_libsvm`
        gives, which have labels, weights and query ids in themselves. Grades are numbers of any
        size: their order alone counts. Raises ValueError for parameters out of range, NaN or
        infinity, weights that are all zero, and a qid of another length. Where no query has two
        grades all weights are 0.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        self.regularizer_name()
        X, y, sample_weight = self._checked_data(X, y, sample_weight, y_numeric=True)
        self._fit_order(X, y, qid, "qid", sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of shape (n_samples,): the larger, the higher the rank."""
        return self._scores(X).ravel()

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, qid: Any = None) -> float:
        """Kendall's τ of the scores and the grades within queries, `rrmlinear.metrics.kendall_tau`.

        ``sample_weight`` must be None: pairs are counted.
        """
        if sample_weight is not None:
            raise ValueError("sample_weight must be None: Kendall's tau counts pairs")
        X, y, _ = labelled(X, y)
        return kendall_tau(y, self.predict(X), groups_of(qid, X, len(y), "qid"))

    def ndcg(self, X: Any, y: Any = None, *, qid: Any = None, k: int | None = None) -> float:
        """nDCG@k of the scores, `rrmlinear.metrics.ndcg`."""
        X, y, _ = labelled(X, y)
        return ndcg(y, self.predict(X), groups_of(qid, X, len(y), "qid"), k)
