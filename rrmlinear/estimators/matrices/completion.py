"""Matrices completed from some of their entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.builders.matrices import Entries, completion_solver, levels_loss
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import REGRESSION_LOSSES
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.core.plain_state import PlainState
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.general import AnyObjective
from rrmlinear.estimators.matrices.entries import Triplets, check_length, indices, numbers_of
from rrmlinear.estimators.objective import cost_of, own_choices, own_words, unknown_name
from rrmlinear.exports.exported import Saved
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.training.costs import checked_costs

#: The loss of ordered levels, at thresholds between them; all others are those of regression.
LEVELS = "hinge"
LOSSES = (*REGRESSION_LOSSES, LEVELS)
#: Distance between thresholds of levels where none are given.
THRESHOLD_DISTANCE = 3.0


@dataclass(eq=False, repr=False)
class MatrixCompletion(Saved, PlainState, Certified):
    r"""A matrix of low rank from some of its entries, by the trace norm and any loss.

    Solves, over W of p × q, given entries y_i at rows r_i and columns k_i,

    .. math::
        \min_W \; \|W\|_* + \sum_i C_i \, \phi(W_{r_i k_i}, y_i),

    where :math:`\|W\|_*` is the sum of singular values and :math:`C_i` is ``C`` times the sample
    weight. ``duality_gap_`` bounds how far the objective at W is above its minimum. W is kept as
    factors, and the cost of a step grows with its rank. Entries are not centred: to complete
    deviations from means, subtract the means before the fit and add them to predictions. Every fit
    of the same entries gives the same bits.

    Parameters
    ----------
    loss : str, default="absolute"
        "absolute", "squared", "epsilon-insensitive", "squared-epsilon-insensitive", "huber" or
        "quantile": losses of numbers, as in `LinearRegressor`. "hinge": entries are ordered levels,
        such as ratings. There is a threshold between each two levels, and the loss is the sum of
        the hinges at all thresholds; with two levels it is the ordinary hinge.
    C : float, default=None
        Cost of an entry, above 0; 1 where ``alpha`` is not given either.
    alpha : float, default=None
        λ of (1/n) Σ φ_i + λ ‖W‖_*, in place of C = 1/(λ n), n counting the sample weights.
    thresholds : array-like of float, default=None
        For the hinge: one fewer than levels, increasing; by default 0, 3, 6, ….
    epsilon, huber, quantile : float, default=None
        Numbers of the losses that have them, as in `LinearRegressor`.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol * objective``.
    max_iter : int, default=2000
        Limit on the steps.
    callback : callable, default=None
        Called with a `TraceRow` after each step; stops the fit by returning True.
    verbose : int, default=0
        1 prints the outcome, 2 each step as well.

    Attributes
    ----------
    left_ : ndarray of shape (p, rank)
        Left singular vectors U of W = U diag(s) V'.
    singular_values_ : ndarray of shape (rank,)
        s, falling.
    right_ : ndarray of shape (q, rank)
        V.
    shape_ : tuple
        (p, q).
    classes_ : ndarray
        The levels, sorted; of the hinge alone.
    thresholds_ : ndarray
        The thresholds; of the hinge alone.
    dual_coef_ : ndarray of shape (n,)
        Duals α_i with ‖Σ C_i α_i e_r e_k'‖ ≤ 1, the largest singular value, and
        −Σ C_i φ*(−α_i) a lower bound of the minimum.
    duality_gap_, n_iter_, status_, trace_
        The certificate and how it was reached, as in `LinearRegressor`.

    References
    ----------
    T. Yang, M. Mahdavi, R. Jin and S. Zhu, "An efficient primal dual prox method for non-smooth
    optimization", 2015, section 5.3. J. Rennie and N. Srebro, "Fast maximum margin matrix
    factorization for collaborative prediction", 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import MatrixCompletion
    >>> rng = np.random.default_rng(0)
    >>> W = np.outer(rng.normal(size=30), rng.normal(size=20))
    >>> rows, columns = np.nonzero(rng.random(W.shape) < 0.5)
    >>> model = MatrixCompletion(C=1.0, tol=1e-6).fit(rows, columns, W[rows, columns])
    >>> bool(np.abs(model.predict([0, 29], [0, 19]) - W[[0, 29], [0, 19]]).max() < 0.02)
    True
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = AnyObjective._parameter_constraints

    loss: str = "absolute"
    _: KW_ONLY
    C: float | None = None
    alpha: float | None = None
    thresholds: Any = None
    epsilon: float | None = None
    huber: float | None = None
    quantile: float | None = None
    tol: float = 1e-3
    max_iter: int = 2000
    callback: Any = None
    verbose: int = 0

    def fit(
        self,
        rows: Any,
        columns: Any = None,
        values: Any = None,
        *,
        shape: tuple[int, int] | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Complete the matrix with ``values`` at ``rows`` and ``columns``, numbered from 0.

        Or with the stored entries of a scipy.sparse matrix, zeros among them, given as ``rows``
        alone. An entry may come repeatedly: each counts. ``shape`` is (p, q), by default the
        smallest that holds all; rows and columns without entries are 0. ``sample_weight``, at least
        0, multiplies ``C``. Raises ValueError for indices out of range, NaN or infinity, lengths
        that differ, levels that do not fit the thresholds, and numbers out of range.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        if self.loss not in LOSSES:
            raise unknown_name("loss", self.loss, LOSSES)
        given = Triplets.of(rows, columns, values, shape, sample_weight)
        weights = np.ones(len(given.values)) if given.weights is None else given.weights
        with np.errstate(over="ignore"):
            costs = checked_costs(cost_of(self, float(weights.sum())) * weights)
        targets, loss = self._loss(given.values)
        entries = Entries(given.rows, given.columns, targets, costs, given.shape)
        stopping = Stopping(gap_tol=float(self.tol), max_passes=int(self.max_iter))
        solver = completion_solver(entries, loss)
        result = solver.solve(stopping, self._on_pass())
        self.shape_ = given.shape
        self.left_, self.singular_values_, self.right_ = solver.certificate.weights.svd()
        self.dual_coef_ = result.duals
        self._set_certificate(result)
        return self

    def _loss(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], Any]:
        """The labels of the loss that the entries are, and the loss."""
        numbers, loss = own_choices(self, "loss"), cast("Any", self.loss)
        if loss != LEVELS:
            if self.thresholds is not None:
                raise ValueError(f"thresholds have no effect with loss {self.loss!r}")
            try:
                return values, select(Parameter(solver=37, loss=loss, **numbers)).loss
            except ChoiceError as error:
                raise own_words(error, {}) from None
        for name, number in numbers.items():
            if number is not None:
                raise ValueError(f"{name} has no effect with loss {self.loss!r}")
        levels, index = np.unique(values, return_inverse=True)
        if len(levels) < 2:
            raise ValueError(f"all values are {levels[0]:g}; the hinge needs at least two levels")
        thresholds = np.arange(len(levels) - 1, dtype=np.float64) * THRESHOLD_DISTANCE
        if self.thresholds is not None:
            thresholds = numbers_of(self.thresholds, "thresholds")
            if len(thresholds) != len(levels) - 1:
                raise ValueError(
                    f"there are {len(thresholds)} thresholds and {len(levels)} levels of values; "
                    f"{len(levels) - 1} thresholds are needed"
                )
        self.classes_, self.thresholds_ = levels, thresholds
        return index.astype(np.float64), levels_loss(thresholds)

    def decision_function(self, rows: Any, columns: Any) -> NDArray[np.float64]:
        """W's entries at ``rows`` and ``columns``, n of each.

        Raises ValueError for indices outside the matrix.
        """
        check_is_fitted(self)
        row = indices(rows, "rows", self.shape_[0])
        column = indices(columns, "columns", self.shape_[1])
        check_length(row, "columns", column)
        weighed = self.left_ * self.singular_values_
        return np.einsum("ik,ik->i", weighed[row], self.right_[column])

    def predict(self, rows: Any, columns: Any) -> NDArray[np.float64]:
        """Predicted values; of the hinge the level between whose thresholds W's entry lies."""
        scores = self.decision_function(rows, columns)
        if self.loss != LEVELS:
            return scores
        return self.classes_[np.searchsorted(self.thresholds_, scores)]

    def score(self, rows: Any, columns: Any = None, values: Any = None) -> float:
        """R² of predicted numbers, or the fraction of levels that are right.

        Entries are given as in `fit`; indices must lie in the matrix.
        """
        given = Triplets.of(rows, columns, values, None, None)
        measure = accuracy_score if self.loss == LEVELS else r2_score
        return float(measure(given.values, self.predict(given.rows, given.columns)))
