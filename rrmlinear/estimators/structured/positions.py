"""What estimators have in common that label the positions of sequences or the nodes of graphs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.estimators.arguments import seed_of, thread_count
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.objective import own_choices
from rrmlinear.estimators.scores import in_memory, opened
from rrmlinear.estimators.wording import find_solver_type


def sequences_of(
    estimator: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> tuple[Any, Any, Any]:
    """X, y and the weights: of a container, whose query ids tell the sequences, lists of matrices
    and labels, and else as given.

    Raises ValueError as `in_memory` and `SequenceProblem.from_problem`.
    """
    problem = opened(X)
    if problem is None:
        return X, y, sample_weight
    matrix, labels, _ = in_memory(estimator, problem, y, sample_weight)
    starts = SequenceProblem.from_problem(problem).starts.tolist()
    parts = [slice(*ends) for ends in pairwise(starts)]
    return [matrix[part] for part in parts], [labels[part] for part in parts], None


class LabelsPositions(Certified):
    """A score by positions over ``predict``, which returns a list of arrays."""

    n_features_in_: int

    def predict(self, X: Any) -> list[NDArray[Any]]:
        raise NotImplementedError

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
        if [len(part) for part in y] != lengths:
            raise ValueError("y must have a label for each row of X")
        right = np.array(
            [np.count_nonzero(np.asarray(a) == b) for a, b in zip(y, predicted, strict=True)]
        )
        weights = np.ones(len(lengths)) if sample_weight is None else np.asarray(sample_weight)
        return float(weights @ right / (weights @ np.array(lengths)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class LabelsByWeights(LabelsPositions):
    """Labels by weights of features and of pairs of labels; ``_loss`` names the loss."""

    _loss: ClassVar[str]
    _solvers: ClassVar[Mapping[str, int | str]]

    solver: str
    tol: float
    max_iter: int
    fit_intercept: bool
    random_state: Any
    n_jobs: int | None

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

    def _set_weights(
        self, problem: SequenceProblem, weights: NDArray[np.float64], bias: float
    ) -> None:
        self.classes_, self.n_features_in_ = problem.labels, problem.n_features
        self.coef_ = np.ascontiguousarray(weights[: problem.n_features].T)
        self.intercept_ = weights[-1] * bias if self.fit_intercept else np.zeros(problem.n_labels)
