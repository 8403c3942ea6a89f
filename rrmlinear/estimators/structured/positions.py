"""What estimators have in common that label the positions of sequences or the nodes of graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.names import RegularizerName
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.core.plain_state import PlainState
from rrmlinear.data.sequence_lists import checked_weights
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.estimators.arguments import RANGES, check_counted, optional, seed_of, thread_count
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.objective import find_solver_type, own_choices, own_words
from rrmlinear.estimators.scores import labelled, matrix_of, opened
from rrmlinear.exports.exported import Saved
from rrmlinear.solvers.loop.result import Result


def sequences_of(
    estimator: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> tuple[Any, Any, Any]:
    """X, y and the weights. A container gives lists of matrices and labels by its query ids; other
    data stay as given.

    Raises ValueError as `matrix_of` and `SequenceProblem.from_problem`.
    """
    problem = opened(X)
    if problem is None:
        return X, y, sample_weight
    problem, labels, _ = labelled(problem, y, sample_weight)
    matrix = matrix_of(estimator, problem)
    starts = SequenceProblem.from_problem(problem).starts.tolist()
    parts = [slice(*ends) for ends in pairwise(starts)]
    return [matrix[part] for part in parts], [labels[part] for part in parts], None


class PartArrays(list[NDArray[Any]]):
    """A list of arrays, one for each part of X. NumPy makes an array of objects of it, so that
    scikit-learn's `cross_val_predict` puts those of its folds together.
    """

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        array = np.empty(len(self), dtype=object)
        for place, part in enumerate(self):
            array[place] = part
        return array


def _is_empty(part: Any) -> bool:
    """Whether a sequence, or the nodes of a graph, are none."""
    rows = part[0] if isinstance(part, tuple) and len(part) else part
    return (hasattr(rows, "shape") and rows.shape[0] == 0) or (isinstance(rows, list) and not rows)


class LabelsPositions(ABC):
    """Labels of the positions of sequences, or of the nodes of graphs: the parts of X.

    ``_given`` makes X a problem, which ``_model`` labels.
    """

    classes_: NDArray[Any]
    n_features_in_: int
    n_jobs: int | None
    _model: Any  # a ChainModel or a GraphModel

    @abstractmethod
    def _given(self, X: Any) -> SequenceProblem:
        """The parts of X as the model takes them, without labels."""

    def predict(self, X: Any) -> list[NDArray[Any]]:
        """The labelling of the highest score of each part of X, a list of arrays.

        Parts may be empty.
        """
        return self._of_parts("predict", X)

    def _of_parts(self, method: str, X: Any) -> list[NDArray[Any]]:
        """What a method of the model gives, for each part of X."""
        check_is_fitted(self)
        if isinstance(X, list | tuple) and len(X) and all(map(_is_empty, X)):
            nothing = (
                self.classes_[:0] if method == "predict" else np.empty((0, len(self.classes_)))
            )
            return PartArrays(nothing for _ in X)
        problem = self._given(X)
        found = getattr(self._model, method)(problem, thread_count(self.n_jobs))
        return PartArrays(problem.split(found))

    def _check_width(self, rows: Any) -> None:
        """Raise ValueError where the rows of X have other features than those of the fit."""
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of positions with the right label; ``sample_weight`` counts the parts of X."""
        X, y, sample_weight = sequences_of(self, X, y, sample_weight)
        predicted = self.predict(X)
        lengths = [len(part) for part in predicted]
        if y is None:
            raise ValueError("y is None; it must have a label for each row of X")
        if len(y) != len(lengths):
            raise ValueError(
                f"y has {len(y)} parts and X {len(lengths)}; y must have a label for each row of X"
            )
        for s, (part, length) in enumerate(zip(y, lengths, strict=True)):
            if len(part) != length:
                raise ValueError(
                    f"y[{s}] has {len(part)} labels; y must have a label for each row of X, and "
                    f"X[{s}] has {length} rows"
                )
        right = np.array(
            [np.count_nonzero(np.asarray(a) == b) for a, b in zip(y, predicted, strict=True)]
        )
        counts = np.array(lengths, dtype=np.float64)
        if sample_weight is not None:
            counts *= checked_weights(sample_weight, len(lengths))
        if not counts.any():
            raise ValueError(
                "all parts of X are empty or have no weight; there is nothing to score"
            )
        return float(np.average(right / np.maximum(lengths, 1), weights=counts))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class GivesMarginals(LabelsPositions):
    """Probabilities of labels: for losses that are likelihoods."""

    def predict_marginals(self, X: Any) -> list[NDArray[np.float64]]:
        """The probability of each label at each position: for each part of X an array n × k."""
        return self._of_parts("predict_marginals", X)


@dataclass(eq=False, repr=False)
class LabelsByWeights(LabelsPositions, Saved, PlainState, Certified):
    """Labels by weights of features and of labels together: their parameters, and how they train.

    ``_loss`` names the loss, ``_parts`` what X is a list of.
    """

    _loss: ClassVar[str]
    _parts: ClassVar[str]
    _solvers: ClassVar[Mapping[str, int | str]]
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "l1": optional(RANGES["epsilon"]),
        "regularizer": [str],
        "solver": [str],
        "fit_intercept": ["boolean"],
    }

    C: float = 1.0
    _: KW_ONLY
    regularizer: RegularizerName = "l2"
    l1: float | None = None
    solver: str = "auto"
    tol: float = 1e-3
    max_iter: int = 10_000
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    random_state: Any = None
    n_jobs: int | None = None
    callback: Any = None
    verbose: int = 0

    @property
    def _bias(self) -> float:
        """The value of the column of the intercept, as a problem takes it."""
        return float(self.intercept_scaling) if self.fit_intercept else -1.0

    def _choices(self) -> dict[str, Any]:
        """The parameters as choices."""
        return {
            "loss": self._loss,
            "solver": find_solver_type(self.solver, self._solvers).number,
            **own_choices(self, "objective", "loss", "regularizer"),
            "gap_tol": float(self.tol),
            "max_passes": int(self.max_iter),
            "seed": seed_of(self.random_state),
            "threads": thread_count(self.n_jobs),
        }

    def _solve(self, problem: Any, solve: Callable[..., Any], *start: Any) -> tuple[Any, Result]:
        """The model and the result of ``solve``; weights and what predictions need are set."""
        check_counted(problem.weights, self._parts)
        try:
            chosen = select(Parameter(**self._choices()))
            model, result = solve(problem, chosen, self._on_pass(), *start)
        except ChoiceError as error:
            raise own_words(error, self._solvers) from None
        self._model = replace(model, parameter=None, result=None)
        self.classes_, self.n_features_in_ = problem.labels, problem.n_features
        self.coef_ = np.ascontiguousarray(model.weights[: problem.n_features].T)
        self.intercept_ = (
            model.weights[-1] * self._bias if self.fit_intercept else np.zeros(problem.n_labels)
        )
        return model, result
