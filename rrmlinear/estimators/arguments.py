"""Arguments of scikit-learn's callers: what they may be, and how solvers take them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets

from rrmlinear.catalog.regularizers import check_numbers, checked_factors
from rrmlinear.data.array_rows import MEMORY_DTYPES
from rrmlinear.data.problem import Problem, checked_weights

#: Most labels that an error lists.
FEW_LABELS = 10
#: Seeds of generators are below.
MANY_SEEDS = 2**32
#: Ranges of numbers, in the words that scikit-learn's errors have for them.
POSITIVE = [Interval(Real, 0, None, closed="neither")]
AT_LEAST_0 = [Interval(Real, 0, None, closed="left")]
FRACTION = [Interval(Real, 0, 1, closed="both")]
COUNT = [Interval(Integral, 1, None, closed="left")]
INTERCEPT = ["boolean", StrOptions({"regularized", "unregularized"})]

#: The ranges of parameters by their names, for every class that has them.
RANGES: Mapping[str, list[Any]] = {
    "C": POSITIVE,
    "alpha": POSITIVE,
    "l1_ratio": FRACTION,
    "epsilon": AT_LEAST_0,
    "delta": POSITIVE,
    "quantile": [Interval(Real, 0, 1, closed="neither")],
    "tol": POSITIVE,
    "max_iter": COUNT,
    "fit_intercept": INTERCEPT,
    "intercept_scaling": POSITIVE,
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "random_state": ["random_state"],
    "n_jobs": [None, Integral],
    "positive": ["boolean"],
    "warm_start": ["boolean"],
    "callback": [callable, None],
    "verbose": ["verbose"],
    "solver_options": [dict, None],
    "copy_X": ["boolean"],
    "dual": ["boolean", StrOptions({"auto"})],
    "precompute": [StrOptions({"auto"}), "boolean"],
    "selection": [StrOptions({"cyclic", "random"})],
}


def optional(ranges: list[Any]) -> list[Any]:
    """The same, and None."""
    return [*ranges, None]


def thread_count(n_jobs: Any) -> int:
    """None: 1; −1: all cores, −2: all but one, … as joblib counts what this process may use."""
    if n_jobs == 0:
        raise ValueError("n_jobs is 0; it must be None, a whole number from 1 on, or -1 for all")
    return 1 if n_jobs is None else effective_n_jobs(int(n_jobs))


def seed_of(random_state: Any) -> int:
    """None: 0, so that every fit is the same; a number: itself; a RandomState: its next draw."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= int(random_state) < MANY_SEEDS:
        return int(random_state)  # a generator of it takes a part of a millisecond
    generator = check_random_state(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))


def is_plain(X: Any, order: str | None) -> bool:
    """Whether X is a NumPy matrix of finite float32 or float64 numbers, which has rows and columns,
    in C-order if ``order`` is "C".

    scikit-learn's checks return it as it is. They look for data frames, text and other libraries'
    arrays, which takes a fifth of a small fit, and most of a prediction of one row.
    """
    return is_matrix(X, order) and _is_finite(X)


def are_plain(X: Any, y: Any, order: str | None) -> bool:
    """Whether that is so, and y is a NumPy vector of as many numbers, finite too.

    The numbers of an F-ordered X are left to `in_column_order`, which reads them all.
    """
    if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in "biuf":
        return False
    if not is_matrix(X, order) or len(y) != len(X):
        return False
    by_columns = X.flags.f_contiguous and not X.flags.c_contiguous
    return (by_columns or _is_finite(X)) and (y.dtype.kind != "f" or _is_finite(y))


def is_matrix(X: Any, order: str | None) -> bool:
    """`is_plain`, but for numbers that are not finite."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in MEMORY_DTYPES:
        return False
    return X.size > 0 and (order is None or X.flags.c_contiguous)


def _is_finite(values: Any) -> bool:
    """Whether the sum is finite; one that overflows leaves the question to scikit-learn.

    That of squares takes half of the time, as one product of BLAS.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if values.flags.forc:
            flat = values.ravel("K")
            if math.isfinite(flat @ flat):
                return True
        return math.isfinite(values.sum())


def class_factors(
    class_weight: Any,
    classes: NDArray[Any],
    index: NDArray[np.intp],
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """The factor of each class on C, or None for 1.

    ``class_weight`` maps labels to factors. Classes that it leaves out have 1; a label that is no
    class is refused unless all classes have factors. "balanced" is n / (k n_j) with n_j examples of
    class j. An example of weight 2 counts as two examples.
    """
    if class_weight is None:
        return None
    if class_weight == "balanced":
        counts = np.bincount(index, weights=sample_weight, minlength=len(classes))
        # Examples of a class with weight 0 have no cost for any factor.
        return counts.sum() / (len(classes) * np.where(counts > 0, counts, np.inf))
    for label, factor in class_weight.items():
        if not (isinstance(factor, Real) and 0 <= float(factor) < math.inf):
            raise ValueError(
                f"the weight of class {label!r} is {factor!r}; it must be a finite number of at "
                "least 0"
            )
    labels = classes.tolist()
    wrong = [label for label in class_weight if label not in labels]
    if wrong and len(class_weight) - len(wrong) < len(labels):
        shown = ", ".join(map(repr, labels[:FEW_LABELS])) + ", …" * (len(labels) > FEW_LABELS)
        raise ValueError(
            f"class_weight has {wrong[0]!r}, which is no label of y; the labels are {shown}"
        )
    return np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)


def without_repeats(X: Any) -> Any:
    """X, or a copy of a sparse X with the entries of each place summed, for functions of rows that
    are no sums over entries; indices have 32 bits where these do, as scikit-learn's trees ask for.
    """
    if issparse(X) and X.indices.dtype != np.int32 and max(*X.shape, X.nnz) < 2**31:
        indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        X = type(X)((X.data, indices, starts), shape=X.shape)
    if issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def factors_of(estimator: Any, d: int) -> NDArray[np.float64] | None:
    """The factor of the penalty of each of d features, None where all are 1."""
    given = getattr(estimator, "penalty_factors", None)
    if given is None:
        return None
    check_numbers("penalty_factors", given)
    factors = checked_factors(given, "penalty factors")
    if len(factors) != d and np.ndim(given) > 0:
        raise ValueError(f"there are {len(factors)} penalty factors for {d} columns")
    return np.array(np.broadcast_to(factors, d))


def classes_of(y: Any) -> NDArray[Any]:
    """The different labels, in rising order. Raises ValueError for y that holds no classes,
    and for those without an order.

    Whole numbers in one dimension are labels. scikit-learn, whose look at them takes longer than
    a small fit, warns where more than half of them are different.
    """
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu":
        classes = _different(y)
        if 2 * len(classes) <= len(y):
            return classes
    try:
        check_classification_targets(y)
    except TypeError as error:
        names = {type(label).__name__ for label in np.ravel(y).tolist()}
        if "bytes" in names:  # scikit-learn's sentence says what to do
            raise ValueError(str(error)) from None
        kinds = ", ".join(sorted(names))
        raise ValueError(
            f"the labels y are of the types {kinds}, which have no order among them; give labels "
            "of one type"
        ) from None
    return np.unique(y)


def _different(y: NDArray[Any]) -> NDArray[Any]:
    """The different whole numbers, in rising order."""
    if len(y) and y.dtype != bool:
        low, high = int(y.min()), int(y.max())
        # counted where their range is short: a tenth of the time
        if high - low < len(y) and high <= np.iinfo(np.int64).max:
            counts = np.bincount(y.astype(np.int64, copy=False) - low)
            return (np.flatnonzero(counts) + low).astype(y.dtype)
    return np.unique(y)


def is_label_matrix(y: Any) -> bool:
    """Whether y has several columns, each a label. ValueError for lists that are no matrix."""
    if isinstance(y, list | tuple) and len(y) and isinstance(y[0], list | tuple):
        if len({len(row) if isinstance(row, list | tuple) else -1 for row in y}) > 1:
            raise ValueError(
                "y has lists of labels, which MultilabelClassifier takes; here it must have one "
                "label a row, or be a matrix of zeros and ones"
            )
        return len(y[0]) > 1
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[1] > 1


def check_several_classes(estimator: Any, classes: NDArray[Any]) -> None:
    """Raise ValueError unless there are two classes and more."""
    if len(classes) < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs samples of at least 2 classes in the data, but the "
            f"data contains only one class: {classes.tolist()[0]!r}"
        )


def check_counted(weights: Any, of: str, which: str = "sample_weight is") -> None:
    """Raise ValueError where all weights are 0."""
    if weights is not None and not weights.any():
        raise ValueError(f"{which} zero for all {of}; at least one must count")


def counted(sample_weight: Any, n: int) -> Any:
    """Weights of n examples, of which one counts, or None. ValueError for others."""
    weights = checked_weights(sample_weight, n)
    check_counted(weights, "examples")
    return weights


def check_some_weight(problem: Problem, factors: NDArray[np.float64] | None) -> None:
    """Raise ValueError where no weight, times its factor, is above 0."""
    if factors is None:
        return check_counted(problem.weights, "examples")
    weights = factors if problem.weights is None else problem.weights * factors
    check_counted(weights, "examples", "the weights (sample_weight times class_weight) are")
