"""`MultilabelClassifier`: any number of labels for each row, each against the rest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.selection import select
from rrmlinear.core.records import replace
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.estimators.arguments import AT_LEAST_0
from rrmlinear.estimators.classifier import LinkedScores, SparseCoef
from rrmlinear.estimators.labels.base import (
    DENSE,
    LISTS,
    ONE,
    SPARSE,
    TWO,
    LabelClassifier,
    labels_of,
)
from rrmlinear.estimators.labels.label_matrices import check_columns
from rrmlinear.estimators.objective import find_loss
from rrmlinear.estimators.reporting import Described
from rrmlinear.estimators.scores import legible
from rrmlinear.exports.exported import Exported, Tabled
from rrmlinear.exports.scorer import CLASSES, Scorer
from rrmlinear.pages.quality import quality_section
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.labels.fit_labels import solve_labels
from rrmlinear.training.labels.held_out import costs_by_folds, thresholds_by_folds
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.label_report import LabelReport, label_quality
from rrmlinear.training.labels.terms import LabelTerms


@dataclass(eq=False, repr=False, kw_only=True)
class MultilabelClassifier(LinkedScores, SparseCoef, Exported, Tabled, Described, LabelClassifier):
    r"""Linear classifier of rows that have any number of labels, each label against the rest.

    Solves, for each label l, with y_il = 1 where row i has it and −1 elsewhere,

    .. math::
        \min_{w_l} \; \Omega(w_l) + \sum_i C_{il} \, \phi(y_{il} \, (w_l^\top x_i + b_l)),

    and proves each optimum by a duality gap. A label is predicted where its score is above 0, or
    above its threshold. Rows are read once for sixteen labels, and weights are kept as nonzeros:
    thousands of labels on text take minutes.

    Parameters
    ----------
    loss : {"squared-hinge", "hinge", "logistic", ...}, default="squared-hinge"
        φ, any of the losses of two classes.
    C : float, default=1.0
        Cost of an example of weight 1.
    prune : float, default=0.0
        Weights below it are dropped and the intercept is fitted again. ``duality_gaps_`` are those
        of the weights that are left. On text of unit length 0.003 keeps a third of the weights for
        a tenth of a percent of the objective.
    thresholds : {"cv", "cost"} or None, default=None
        None: a label is predicted from a score of 0 on. "cv": for each label the threshold of the
        best F1 over ``folds`` folds. "cost": for each label the factor of ``C`` for its rows, of 1
        to 13.5, with the best F1 over the folds.
    top_k : int, default=None
        Predict the k labels with the largest scores of each row.
    positive_weight : float or array of shape (n_labels,), default=1.0
        Factor of ``C`` for rows that have the label.
    regularizer : str, default="l2"
        Ω, ½‖w‖² or another by its name; others than "l2" take label after label.
    l1 : float, default=None
        Factor of the 1-norm in Ω, for those that have one.
    fit_intercept : bool or {"regularized", "unregularized"}, default=True
        True is "regularized": the weight of a column of the value ``intercept_scaling``.
    intercept_scaling : float, default=1.0
        Value of that column.
    folds : int, default=3
        Folds of ``thresholds``: label after label of some, so that no scores of all are held.
    tol : float, default=1e-3
        Each label is solved until its gap is at most ``tol`` times its objective.
    max_iter : int, default=10_000
        Most passes over the data, for each label.
    solver : str, default="auto"
        As in `LinearClassifier`.
    random_state : int, RandomState or None, default=None
        Order of the visits and folds; None is 0.
    n_jobs : int, default=None
        Threads, each with labels of its own. The result is the same for any number.
    warm_start : bool, default=False
        Begin from the duals of the last fit, for the labels that were there and as many rows and
        features.
    journal : str or PathLike, default=None
        A file that grows by each label that ends. A fit that was interrupted or killed goes on from
        it, with the same data and parameters, and so does one that a callback stopped; a fit that
        ends removes it.
    callback : callable, default=None
        Called with a label and its end (``primal``, ``dual``, ``passes``); True stops the fit.
    verbose : int, default=0
        1: a line at the end.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The labels: 0, 1, … for a matrix, sorted for lists.
    coef_ : csr_array of shape (n_labels, n_features)
        Weights, in single precision from ``tol`` 1e-4 on.
    intercept_ : ndarray of shape (n_labels,)
        Added to the scores; −1 or 1 for labels of no row or of all rows, which have no weights,
        ±1000 with the logistic loss: probabilities of 0 and 1.
    thresholds_ : ndarray of shape (n_labels,) or None
        Scores above these predict a label.
    objective_, duality_gap_ : float
        Sums over all labels.
    duality_gaps_, objectives_ : ndarray of shape (n_labels,)
        Of each label.
    n_iter_ : int
        The most passes that a label took.
    status_ : Status
        SOLVED where every label is.
    model_ : LabelModel
        The model, which saves itself.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    R.-E. Fan and C.-J. Lin, "A study on threshold selection for multi-label classification", 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import MultilabelClassifier
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = MultilabelClassifier(C=10.0).fit(X, [["sea"], ["sun"], ["sea", "sun"]])
    >>> model.predict(X)
    [['sea'], ['sun'], ['sea', 'sun']]
    >>> model.fit(X, np.array([[1, 0], [0, 1], [1, 1]])).predict(X).tolist()
    [[1, 0], [0, 1], [1, 1]]
    >>> bool(model.duality_gap_ <= 1e-3 * model.objective_)
    True
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **LabelClassifier._parameter_constraints,
        "thresholds": [StrOptions({"cv", "cost"}), None],
        "positive_weight": [*AT_LEAST_0, "array-like"],
        "journal": [str, os.PathLike, None],
        "folds": [Interval(Integral, 2, None, closed="left")],
    }

    thresholds: Literal["cv", "cost"] | None = None
    positive_weight: Any = 1.0
    folds: int = 3
    warm_start: bool = False
    journal: Any = None
    callback: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with the labels y of each row.

        y is a matrix (n_samples × n_labels) of zeros and ones of any type, dense, sparse or nested
        lists; or a list of labels for each row, numbers or text; or one label for each row, and
        then the label with the largest score is predicted. Nested lists of zeros and ones that all
        have one length are a matrix. Raises ValueError for parameters out of range, NaN or
        infinity, and a y of other numbers or another length.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        return self._fit(X, y, sample_weight)

    def _trained(self, problem: MultilabelProblem) -> LabelModel:
        chosen = select(self._parameter())
        start, weights, crew_of = self._start(problem), self.positive_weight, self._crew_of()
        if self.thresholds == "cost":
            weights = costs_by_folds(problem, chosen, weights, self.folds, crew_of)
        terms = LabelTerms(None, weights, self.prune, self.warm_start, start, None, self.journal)
        model = solve_labels(problem, chosen, terms, self.callback, crew_of)
        if self.thresholds == "cv":
            own = weights, self.prune, self.folds, crew_of
            limits = thresholds_by_folds(problem, chosen, *own)
            model = model.with_thresholds(limits)
        return model

    def fit_more(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train more labels, and leave those that are there as they are.

        y is in the form that `fit` had. Each column of a matrix is a new label, behind those known;
        of lists, labels that are not known are trained. X has rows with the features of `fit`.
        Raises ValueError for a y of another form, one that has no new label, and a model of one
        label a row.
        """
        check_is_fitted(self)
        self._validate_params()
        known, kind = self.model_, self._kind
        if kind in (ONE, TWO):
            raise ValueError("fit_more is for several labels a row, and this model has one")
        X, labels = self._checked(legible(X, y, sample_weight)), self._labels_like(y)
        if kind == LISTS:
            labels = labels.some(np.flatnonzero(known.are_new(labels.names)))
        else:
            labels = replace(labels, names=known.n_labels + np.arange(labels.n_labels))
        if not labels.n_labels:
            raise ValueError("y has no label that is not known")
        problem = self._problem_of(X, labels, sample_weight)
        known.check_like(problem, self._loss(2).name)
        self._train(problem, known)
        self.classes_ = self.model_.names
        return self

    def _measured(self, X: Any, y: Any, X_test: Any, y_test: Any) -> list[Any]:
        if not self._label_form:
            found = super()._measured(X, y, X_test, y_test)
            return [quality_section(found)] if found else []
        sets = {"Training data": (X, y), "Test data": (X_test, y_test)}
        given = [name for name, parts in sets.items() if any(each is not None for each in parts)]
        of_model = self.model_, self.top_k
        return [label_quality(name, self._facts(*sets[name]), *of_model) for name in given]

    def _facts(self, X: Any, y: Any) -> Any:
        labels = self._labels_like(y) if self._label_form else labels_of(self, y)[0]
        if self._kind in (SPARSE, DENSE):
            check_columns(labels, len(self.classes_))
        return self._problem_of(self._checked(X), labels, None)

    def _write_page(self, path: Any, facts: Any, measured: Any = (), static: bool = False) -> None:
        LabelReport(path, repr(self), facts, static=static).of_model(self.model_, measured)

    def _crew_of(self) -> Any:
        """What makes who solves the problems; None: threads."""
        return None

    def _start(self, problem: MultilabelProblem) -> LabelModel | None:
        last = getattr(self, "model_", None) if self.warm_start else None
        duals = None if last is None or last.result is None else last.result.duals
        shape = None if last is None or duals is None else (duals.shape[0], last.n_features)
        return last if shape == (problem.n_examples, problem.n_features) else None

    def _set(self, model: LabelModel) -> None:
        result = model.result
        assert result is not None
        self.model_ = model
        self.coef_ = csr_array(model.weights.T)
        self.intercept_, self.thresholds_ = model.intercepts, model.thresholds
        self._tell(result, f"{model.n_labels} labels")
        if self.journal is not None and result.status is not Status.STOPPED_BY_CALLER:
            os.remove(self.journal)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of shape (n_samples, n_labels); see `decision_batches` for many of both. Of two
        labels, one a row, those of the second, (n_samples,).
        """
        check_is_fitted(self)
        scores = self._scores(self._checked(X))
        return scores[:, 0] if self._kind == TWO else scores

    def decision_batches(self, X: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """(first row, scores) of batches of rows, so that no scores of all are held."""
        check_is_fitted(self)
        return self.model_.in_batches(self._checked(X))

    def _scores(self, X: Any) -> NDArray[np.float64]:
        return self.model_.decision_function(X)

    def _ranked(self, X: Any, k: int | None) -> tuple[NDArray[Any], NDArray[np.float64]]:
        model = self.model_
        places, scores = model.predict_top_k(X, min(5, model.n_labels) if k is None else k)
        return model.names[places], scores

    def _indicator(self, X: Any) -> Any:
        return self.model_.predict(X, self.top_k)

    def _loss(self, n_classes: int) -> LossRow:
        return find_loss(self.loss, ("binary",))

    @property
    def _label_form(self) -> str:  # type: ignore[override]
        return "" if self._kind in (ONE, TWO) else self._kind

    def _scorer(self) -> Scorer:
        check_is_fitted(self)
        names, found = getattr(self, "feature_names_in_", None), self.model_._scorer()
        meaning = found.meaning if self._label_form else CLASSES
        top_k = None if meaning == CLASSES else self.top_k
        known = {"classes": np.asarray(self.classes_), "link": self._loss(2).link}
        return replace(found, meaning=meaning, names=names, top_k=top_k, **known)
