"""What classifiers of rows with any number of labels share: forms of labels, data, choices, and
predictions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d, validate_data

from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.names import ClassLoss, RegularizerName
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.core.plain_state import PlainState
from rrmlinear.data.label_sets import LabelSets, MultilabelProblem, begins_of
from rrmlinear.estimators.arguments import (
    AT_LEAST_0,
    COUNT,
    RANGES,
    check_several_classes,
    classes_of,
    counted,
    optional,
    seed_of,
    thread_count,
)
from rrmlinear.estimators.base import warn_of
from rrmlinear.estimators.labels.label_matrices import share_of_rows
from rrmlinear.estimators.objective import (
    SOLVERS,
    find_loss,
    find_solver_type,
    own_words,
    unknown_name,
)
from rrmlinear.estimators.scores import legible
from rrmlinear.exports.exported import Saved
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.labels.label_result import LabelResult

#: Forms of y: a matrix, lists, one label a row of several, or of two.
SPARSE, DENSE, LISTS, ONE, TWO = "sparse", "dense", "lists", "one", "two"


def labels_of(estimator: Any, y: Any) -> tuple[LabelSets, NDArray[Any], str]:
    """Labels as users give them, the classes, and the form.

    Raises ValueError for what is no matrix of zeros and ones, no lists, and no one label a row.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    if not issparse(y) and hasattr(y, "__array__"):  # pandas, polars, …
        y = np.asarray(y)
    if issparse(y) or getattr(y, "ndim", 1) == 2:
        is_sparse = issparse(y)
        matrix = y if is_sparse else np.asarray(y)
        if is_sparse or matrix.shape[1] != 1 or np.isin(matrix, (0, 1)).all():
            sets = LabelSets.from_matrix(matrix)
            return sets, sets.names, SPARSE if is_sparse else DENSE
        y = matrix[:, 0]
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return _one_a_row(estimator, y)
    rows = list(y)
    if not rows:
        raise ValueError("y is empty; it must have the labels of each row of X")
    single = [isinstance(row, str | bytes) or not hasattr(row, "__len__") for row in rows]
    if all(single):
        return _one_a_row(estimator, y)
    if any(single):
        raise ValueError(
            f"y[{single.index(True)}] is one label, and y[{single.index(False)}] a list of labels; "
            "all rows must have one form"
        )
    if _is_matrix(rows):
        sets = LabelSets.from_matrix(np.array([list(row) for row in rows]))
        return sets, sets.names, DENSE
    sets = LabelSets.from_lists(rows)
    return sets, sets.names, LISTS


def _one_a_row(estimator: Any, y: Any) -> tuple[LabelSets, NDArray[Any], str]:
    y = column_or_1d(y)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    classes = classes_of(y)
    check_several_classes(estimator, classes)
    index = np.searchsorted(classes, y)
    asked, kind = (classes[1:], TWO) if len(classes) == 2 else (classes, ONE)
    own = [np.flatnonzero(index == j) for j in range(len(classes) - len(asked), len(classes))]
    begins = begins_of(map(len, own))
    return LabelSets(asked, begins, np.concatenate(own).astype(np.int32), len(y)), classes, kind


def _is_matrix(rows: list[Any]) -> bool:
    """Whether lists of labels are rows of zeros and ones that all have one length."""
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        return False
    if any(isinstance(row, set | frozenset) for row in rows):
        return False
    return all(not isinstance(each, str) and each in (0, 1) for row in rows for each in row)


@dataclass(eq=False, repr=False, kw_only=True)
class LabelClassifier(Saved, PlainState, ClassifierMixin, BaseEstimator):
    """A classifier of rows with any number of labels. A subclass trains, and ranks labels."""

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "prune": AT_LEAST_0,
        "top_k": optional(COUNT),
        "l1": optional(AT_LEAST_0),
    }

    loss: ClassLoss = field(default="squared-hinge", kw_only=False)
    C: float = 1.0
    prune: float = 0.0
    top_k: int | None = None
    regularizer: RegularizerName = "l2"
    l1: float | None = None
    fit_intercept: Any = True
    intercept_scaling: float = 1.0
    tol: float = 1e-3
    max_iter: int = 10_000
    solver: str = "auto"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    @abstractmethod
    def _trained(self, problem: MultilabelProblem) -> Any:
        """The model of a problem."""

    @abstractmethod
    def _set(self, model: Any) -> None:
        """Set the attributes of a fit."""

    @abstractmethod
    def _scores(self, X: Any) -> NDArray[np.float64]:
        """All scores of checked rows, one column a label."""

    @abstractmethod
    def _ranked(self, X: Any, k: int | None) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The k best labels of checked rows and their scores; None: five, or all of fewer."""

    @abstractmethod
    def _indicator(self, X: Any) -> Any:
        """The labels that are predicted for checked rows, a csr_array of int8 with sorted columns,
        one a label that y had.
        """

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._validate_params()
        return self._train(self._problem(X, y, sample_weight))

    def _train(self, problem: MultilabelProblem, known: Any = None) -> Self:
        """Train the labels of a problem, beside those of a ``known`` model."""
        try:
            model = self._trained(problem)
            self._set(model if known is None else known.joined(model))
        except ChoiceError as error:
            raise own_words(error, SOLVERS) from None
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any) -> MultilabelProblem:
        X = self._checked(legible(X, y, sample_weight), reset=True)
        labels, self.classes_, self._kind = labels_of(self, y)
        return self._problem_of(X, labels, sample_weight)

    def _problem_of(self, X: Any, labels: LabelSets, sample_weight: Any) -> MultilabelProblem:
        weights = counted(sample_weight, X.shape[0])
        problem = MultilabelProblem.of_labels(X, labels, weights)
        return problem.with_bias(float(self.intercept_scaling) if self.fit_intercept else -1.0)

    def _parameter(self) -> Parameter:
        if self.regularizer not in REGULARIZERS:
            raise unknown_name("regularizer", self.regularizer, REGULARIZERS)
        is_free = self.fit_intercept == "unregularized"
        return Parameter(
            solver=find_solver_type(self.solver, SOLVERS).number,
            loss=find_loss(self.loss, ("binary",)).name,  # type: ignore[arg-type]
            regularizer=self.regularizer,
            l1=self.l1,
            C=float(self.C),
            free_bias=is_free,
            gap_tol=float(self.tol),
            max_passes=int(self.max_iter),
            seed=seed_of(self.random_state),
            threads=thread_count(self.n_jobs),
        )

    def _tell(self, result: LabelResult, labels: str) -> None:
        """Set the attributes of the certificates; print a line, and warn where one is missing."""
        self.objectives_, self.duality_gaps_ = result.primal, result.gap
        self.objective_, self.duality_gap_ = float(result.primal.sum()), float(result.gap.sum())
        self.n_iter_, self.status_ = int(result.passes.max(initial=0)), result.status
        if self.verbose:
            print(
                f"[{type(self).__name__}] {result.status.value}: {labels}, "
                f"objective {self.objective_:.8g}, gap {self.duality_gap_:.3g}, "
                f"{result.seconds:.3f} s",
                flush=True,
            )
            for note in result.notes:
                print(f"[{type(self).__name__}] {note}", flush=True)
        if not result.solved and result.status is not Status.STOPPED_BY_CALLER:
            warn_of(result)

    def predict(self, X: Any) -> Any:
        """The labels of each row, in the form of the y of `fit`: a sparse or dense indicator, lists
        of labels, or one label a row.
        """
        check_is_fitted(self)
        X = self._checked(X)
        if self._kind == TWO:
            return self.classes_[(self._scores(X)[:, 0] > 0).astype(np.intp)]
        if self._kind == ONE:
            return self._ranked(X, 1)[0][:, 0]
        found = self._indicator(X)
        if self._kind == LISTS:
            ends = zip(found.indptr[:-1], found.indptr[1:], strict=True)
            return [self.classes_[found.indices[a:b]].tolist() for a, b in ends]
        return found if self._kind == SPARSE else found.toarray().astype(np.int64)

    def predict_top_k(self, X: Any, k: int | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """The k labels with the largest scores of each row and these scores, both n × k in falling
        order; k is ``top_k`` by default, or 5.
        """
        check_is_fitted(self)
        return self._ranked(self._checked(X), k if k is not None else self.top_k)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The fraction of rows of which all labels are predicted right; y is as in `fit`."""
        if self._kind in (ONE, TWO):
            return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))
        labels, found = self._labels_like(y), self._indicator(self._checked(legible(X, y)))
        if self._kind == LISTS:
            # a row with a label that was not trained is not right
            every = list(dict.fromkeys([*self.classes_.tolist(), *labels.names.tolist()]))
            found.resize((found.shape[0], len(every)))
            labels = LabelSets.from_lists(y, every)
        return share_of_rows(found, labels, sample_weight)

    def _labels_like(self, y: Any) -> LabelSets:
        """Several labels a row in the form that the y of `fit` had."""
        if self._kind == LISTS and isinstance(y, list | tuple):  # also of zeros and ones
            return LabelSets.from_lists(y)
        labels, _, form = labels_of(self, y)
        if (form == LISTS) != (self._kind == LISTS) or form in (ONE, TWO):
            forms = {LISTS: "lists of labels", SPARSE: "a matrix", DENSE: "a matrix"}
            found = forms.get(form, "one label a row")
            raise ValueError(f"y must be {forms[self._kind]}, as in fit, and is {found}")
        return labels

    def _checked(self, X: Any, reset: bool = False) -> Any:
        X, dtypes = legible(X), [np.float64, np.float32]
        return validate_data(self, X, accept_sparse="csr", dtype=dtypes, order="C", reset=reset)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags
