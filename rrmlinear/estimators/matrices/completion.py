"""Matrices completed from some of their entries, which are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.builders.matrices import Entries, completion_solver, levels_loss
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import REGRESSION_LOSSES
from rrmlinear.catalog.names import NumberLoss
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.core.plain_state import PlainState
from rrmlinear.data.array_rows import check_unmasked, float64_of
from rrmlinear.estimators.arguments import check_counted
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.general import AnyObjective
from rrmlinear.estimators.objective import cost_of, own_choices, own_words, unknown_name
from rrmlinear.exports.exported import Saved
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.training.costs import checked_costs

#: The loss of ordered levels, at thresholds between them; all others are those of regression.
LEVELS = "hinge"
LOSSES = (*REGRESSION_LOSSES, LEVELS)
#: Distance between thresholds of levels where none are given.
THRESHOLD_DISTANCE = 3.0


@dataclass(frozen=True, eq=False)
class Triplets:
    """n values at rows and columns, from 0, of a matrix of this shape, with weights if given."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]
    shape: tuple[int, int]
    weights: NDArray[np.float64] | None

    @classmethod
    def of(cls, rows: Any, columns: Any, values: Any, shape: Any, weights: Any) -> Triplets:
        """Three arrays, or a scipy.sparse matrix in place of the first."""
        if hasattr(rows, "tocoo"):
            if columns is not None or values is not None:
                raise ValueError("a sparse matrix is given with columns or values; it has its own")
            matrix = rows.tocoo()
            if len(matrix.shape) != 2:
                raise ValueError(f"the sparse array has shape {matrix.shape}; it must be a matrix")
            if shape is not None and tuple(shape) != tuple(matrix.shape):
                raise ValueError(f"shape is {shape}, but the matrix has shape {matrix.shape}")
            rows, columns, values, shape = matrix.row, matrix.col, matrix.data, matrix.shape
        elif columns is None or values is None:
            raise ValueError("rows, columns and values must be given, or a sparse matrix alone")
        shape = (None, None) if shape is None else _checked_shape(shape)
        row, column = indices(rows, "rows", shape[0]), indices(columns, "columns", shape[1])
        value = numbers_of(values, "values")
        weight = None if weights is None else numbers_of(weights, "sample_weight")
        lengths = {"columns": column, "values": value, "sample_weight": weight}
        for name, array in lengths.items():
            check_length(row, name, array)
        if not len(row):
            raise ValueError("there are no entries; at least one is needed")
        if weight is not None and weight.min() < 0:
            at = int(weight.argmin())
            raise ValueError(f"sample_weight[{at}] is {weight[at]}; it must be at least 0")
        check_counted(weight, "entries")
        p = int(row.max()) + 1 if shape[0] is None else shape[0]
        q = int(column.max()) + 1 if shape[1] is None else shape[1]
        if p * q > np.iinfo(np.int64).max:
            raise ValueError(f"a matrix of {p} rows and {q} columns has more places than 2^63")
        return cls(row, column, value, (p, q), weight)


def _checked_shape(shape: Any) -> tuple[int, int]:
    sizes = tuple(shape) if isinstance(shape, tuple | list | np.ndarray) else ()
    if len(sizes) != 2 or not all(isinstance(n, Integral) and int(n) >= 1 for n in sizes):
        raise ValueError(f"shape is {shape!r}; it must be two whole numbers from 1 on")
    return int(sizes[0]), int(sizes[1])


def check_length(row: NDArray[np.int64], name: str, array: Any) -> None:
    """Raise ValueError for an array, if any, without a number for each row index."""
    if array is not None and len(array) != len(row):
        told = f"rows has {len(row)} numbers and {name} has {len(array)}"
        raise ValueError(f"{told}; each entry has one of both")


def indices(values: Any, name: str, size: int | None) -> NDArray[np.int64]:
    """Whole numbers of 0 … size − 1, as an array, or a ValueError."""
    check_unmasked(values, f"{name} must be whole numbers")
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of indices, got shape {array.shape}")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got {array.dtype}")
    for at in (int(array.argmin()), int(array.argmax())):
        if array[at] < 0 or (size is not None and array[at] >= size):
            allowed = "at least 0" if size is None else f"0 … {size - 1}"
            raise ValueError(f"{name}[{at}] is {array[at]}; allowed are {allowed}")
    return array.astype(np.int64)


def numbers_of(values: Any, name: str) -> NDArray[np.float64]:
    """Finite numbers as an array, or a ValueError."""
    array = np.ascontiguousarray(float64_of(values, f"{name} must be numbers"))
    if np.ndim(values) != 1:
        raise ValueError(f"{name} must be a list of numbers, got shape {np.shape(values)}")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{at}] is {array[at]}; it must be finite")
    return array


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

    loss: NumberLoss | Literal["hinge"] = "absolute"
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
