"""Arguments of scikit-learn's callers converted for solvers; each mistake gets one sentence."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight


def check_positive(name: str, value: Any) -> None:
    """Raise ValueError unless value is a finite number above 0."""
    if not (isinstance(value, Real) and 0 < float(value) < math.inf):
        raise ValueError(f"{name} is {value!r}; it must be a finite number above 0")


def check_count(name: str, value: Any) -> None:
    """Raise ValueError unless value is a whole number from 1 on."""
    if not (isinstance(value, Integral) and int(value) >= 1):
        raise ValueError(f"{name} is {value!r}; it must be a whole number from 1 on")


def thread_count(n_threads: Any) -> int:
    """None: 1; −1: all cores, −2: all but one, … as joblib counts what this process may use."""
    if n_threads is None:
        return 1
    if not isinstance(n_threads, Integral) or n_threads == 0:
        raise ValueError(
            f"n_threads is {n_threads!r}; it must be None, a whole number from 1 on, or -1 for "
            "all cores"
        )
    return effective_n_jobs(int(n_threads))


def seed_of(random_state: Any) -> int:
    """None: 0, so that every fit is the same; a number: itself; a RandomState: its next draw."""
    generator = check_random_state(0 if random_state is None else random_state)
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))


def class_factors(
    class_weight: Any,
    classes: NDArray[Any],
    index: NDArray[np.intp],
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """The factor of each class on C, or None for 1.

    ``class_weight`` maps labels to factors, classes left out having 1; "balanced" is n / (k n_j)
    with the examples n_j of class j counted by their weights, as if each were repeated so often.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"class_weight is {class_weight!r}; it must be a dict, 'balanced' or None"
            )
        counts = np.bincount(index, weights=sample_weight, minlength=len(classes))
        # Examples of a class with weight 0 have no cost for any factor.
        return counts.sum() / (len(classes) * np.where(counts > 0, counts, np.inf))
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight is {class_weight!r}; it must be a dict, 'balanced' or None")
    for label, factor in class_weight.items():
        if not (isinstance(factor, Real) and 0 <= float(factor) < math.inf):
            raise ValueError(
                f"the weight of class {label!r} is {factor!r}; it must be a finite number of at "
                "least 0"
            )
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes[index]))
