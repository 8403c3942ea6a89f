"""Standard errors of weights, from the second derivatives of the objective at its minimum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import imported
from rrmlinear.core.records import record

Array = NDArray[np.float64]
#: Losses that are minus a log-likelihood, and those that are one in units of a variance.
LIKELIHOODS = ("logistic", "softmax", "poisson", "binomial", "cox-breslow", "cox-efron")
SCALED = ("squared",)
#: Columns, beyond which the matrices of second derivatives are too large.
MOST_COLUMNS = 5000
CONDITIONAL = (
    "conditional: weights are shrunk by the penalty, and the errors do not count this bias"
)
#: Columns have length 1 here. A step of length 1 that leaves the objective as it is shows the
#: weights that the data do not determine: those that it moves by more than this.
LOOSE = 1e-6
UNDETERMINED = "std err is nan where the data do not determine a weight: others are as good"


@record()
class Setting:
    """What a summary is computed from: rows with a column of ones last if there is an intercept.

    ``weights`` are m × p beside these rows, ``names`` those of the p columns, and ``columns`` those
    of the m scores. ``penalty`` is the second derivative of Ω/C at each of the p, ``has_kink``
    whether Ω holds it at 0, and ``has_penalty`` whether there is any Ω. ``first`` and ``second``
    are φ' and φ'' of examples, n × m and n × m × m; a loss that is no sum over examples has its
    second derivatives in ``matrix``, p × p.
    """

    title: str
    loss: str
    rows: Any
    costs: Array
    weights: Array
    names: list[str]
    columns: list[str]
    penalty: Array
    has_kink: NDArray[np.bool_]
    has_penalty: bool
    first: Array
    second: Array
    matrix: Array | None = None


@record()
class Summary:
    """A row for each weight: its standard error, statistic, p value and interval.

    All arrays are m × p, for m scores of p columns. ``errors_of`` is the kind of errors:
    "second derivatives" of a likelihood, or "sandwich" for other smooth losses. ``conditional``
    says whether a penalty shrinks the weights: the errors are then those of the weights around
    their own mean. Weights that a 1-norm made 0 have errors of nan, and so have those that the data
    do not determine, as other weights have the same minimum. ``has_ratios`` adds the columns of
    e^weight and its interval, ratios of hazards.
    """

    title: str
    names: list[str]
    columns: list[str]
    weights: Array
    std_errors: Array
    statistics: Array
    p_values: Array
    lower: Array
    upper: Array
    level: float
    n_examples: float
    degrees: float | None
    dispersion: float
    errors_of: str
    conditional: bool
    has_ratios: bool
    undetermined: NDArray[np.bool_]

    def to_dataframe(self) -> Any:
        """A pandas DataFrame of a row for each weight; with several scores, for each pair."""
        pandas = imported("pandas", "to_dataframe", "pandas")
        data = np.column_stack([each.ravel() for each in self._cells()])
        index: Any = pandas.Index(self.names, name="feature")
        if len(self.columns) > 1:
            pair = ["score", "feature"]
            index = pandas.MultiIndex.from_product([self.columns, self.names], names=pair)
        return pandas.DataFrame(data, index=index, columns=self._heads())

    def _heads(self) -> list[str]:
        one, low = "z" if self.degrees is None else "t", (1 - self.level) / 2
        ends = f"[{low:.3g}", f"{1 - low:.3g}]"
        ratios = ["e^weight", *(f"e^{end}" for end in ends)] if self.has_ratios else []
        return ["weight", "std err", one, f"P>|{one}|", *ends, *ratios]

    def _cells(self) -> list[Array]:
        parts = [self.weights, self.std_errors, self.statistics, self.p_values]
        ends = [self.lower, self.upper]
        with np.errstate(over="ignore"):
            ratios = [np.exp(each) for each in (self.weights, *ends)] if self.has_ratios else []
        return [*parts, *ends, *ratios]

    def __str__(self) -> str:
        width = max(10, *(len(name) for name in self.names))
        about = f"{self.n_examples:g} examples, errors of {self.errors_of}"
        if self.degrees is not None:
            about += f", variance {self.dispersion:.6g} on {self.degrees:g} degrees of freedom"
        lines = [self.title, about, *([CONDITIONAL] if self.conditional else [])]
        if self.undetermined.any():
            lines.append(UNDETERMINED)
        for j, column in enumerate(self.columns):
            heads = "".join(f"{head:>11}" for head in self._heads())
            named = column if len(self.columns) > 1 else ""
            lines += ["", f"{named:<{width}}{heads}"]
            for i, name in enumerate(self.names):
                cells = [f"{each[j, i]:11.4g}" for each in self._cells()]
                cells[3] = f"{self.p_values[j, i]:11.3f}"
                lines.append(f"{name:<{width}}{''.join(cells)}")
        return "\n".join(lines)

    __repr__ = __str__


def summary_of(given: Setting, level: float) -> Summary:
    """Weights with their errors; see `Reported.summary`."""
    from scipy import stats

    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be between 0 and 1")
    m, p = given.weights.shape
    if m * p > MOST_COLUMNS:
        raise ValueError(
            f"a summary takes a matrix over all pairs of weights, and there are {m * p}; at most "
            f"{MOST_COLUMNS} are taken"
        )
    first = given.first
    # weights that a 1-norm made 0 stay 0 in a neighbourhood of the data
    free = np.ravel((given.weights != 0) | ~given.has_kink)
    part = np.ix_(free, free)
    lengths = _lengths(given)
    inverse, loose = _inverse(_hessian(given)[part], np.tile(lengths, m)[free])
    dispersion, degrees = 1.0, None
    known = given.loss in (*LIKELIHOODS, *SCALED)
    if given.loss in SCALED:
        degrees = float(given.costs.sum() - free.sum() + loose.shape[1])
        if degrees <= 0:
            raise ValueError(f"{len(given.costs)} examples leave no degree of freedom for errors")
        dispersion = float(given.costs @ first[:, 0] ** 2) / degrees
    if not known:
        inverse = (
            inverse @ _blocks(given, first[:, :, np.newaxis] * first[:, np.newaxis])[part] @ inverse
        )
    covariance = np.full((m * p, m * p), np.nan)
    covariance[part] = dispersion * inverse
    moves = np.zeros((m * p, loose.shape[1]))
    moves[free] = loose
    weights, columns = given.weights, given.columns
    if given.loss == "softmax" and m > 1:  # as only differences of scores count
        against = np.kron(np.hstack([-np.ones((m - 1, 1)), np.eye(m - 1)]), np.eye(p))
        covariance, weights = against @ covariance @ against.T, weights[1:] - weights[0]
        moves = against @ moves
        columns = [f"{name} against {columns[0]}" for name in columns[1:]]
    errors = np.sqrt(np.maximum(np.diagonal(covariance), 0.0)).reshape(weights.shape)
    moves = np.abs(moves).max(1, initial=0.0).reshape(weights.shape) * lengths
    undetermined = moves > LOOSE
    errors[undetermined] = np.nan
    law = stats.norm() if degrees is None else stats.t(degrees)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = weights / errors
    p_values = 2 * law.sf(np.abs(statistics))
    half = law.ppf((1 + level) / 2) * errors
    return Summary(
        given.title,
        given.names,
        columns,
        weights,
        errors,
        statistics,
        p_values,
        weights - half,
        weights + half,
        level,
        float(given.costs.sum()),
        degrees,
        dispersion,
        "second derivatives" if known else "sandwich",
        given.has_penalty,
        given.matrix is not None,
        undetermined,
    )


def _lengths(given: Setting) -> Array:
    """√(Σ c_i x_ij²) of the p columns, 1 where it is 0."""
    rows = given.rows
    squares = rows.multiply(rows) if hasattr(rows, "multiply") else np.square(rows)
    lengths = np.sqrt(np.asarray(squares.T @ given.costs))
    return np.where(lengths > 0, lengths, 1.0)


def _inverse(matrix: Array, lengths: Array) -> tuple[Array, Array]:
    """The inverse, and the directions in which ``matrix`` is 0 but for rounding and has none.

    The columns are made of length 1 first, so that their units do not matter.
    """
    values, vectors = np.linalg.eigh(matrix / np.outer(lengths, lengths))
    rounding = len(values) * np.finfo(np.float64).eps
    is_loose = values <= rounding * values.max(initial=0.0)
    vectors /= lengths[:, np.newaxis]
    held = vectors[:, ~is_loose]
    return (held / values[~is_loose]) @ held.T, vectors[:, is_loose]


def _hessian(given: Setting) -> Array:
    """Σ c_i φ''_i ⊗ x_i x_i' and the second derivatives of the penalty."""
    m, p = given.weights.shape
    if given.matrix is not None:
        return given.matrix + np.diag(given.penalty)
    flat = _blocks(given, given.second)
    flat[np.diag_indices(m * p)] += np.tile(given.penalty, m)
    return flat


def _blocks(given: Setting, each: Array) -> Array:
    """Σ c_i S_i ⊗ x_i x_i' of symmetric matrices S_i; those of g_i g_i' are of g_i ⊗ x_i."""
    m, p = given.weights.shape
    whole = np.zeros((m, p, m, p))
    for j in range(m):
        for k in range(j + 1):
            block = _weighed(given.rows, given.costs * each[:, j, k])
            whole[j, :, k], whole[k, :, j] = block, block.T
    return whole.reshape(m * p, m * p)


def _weighed(rows: Any, costs: Array) -> Array:
    """Σ c_i x_i x_i'."""
    column = costs[:, np.newaxis]
    product = rows.T @ (rows.multiply(column) if hasattr(rows, "multiply") else rows * column)
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)
