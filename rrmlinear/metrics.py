"""Measures of predicted labels, where each example has any number of K labels; and of ranks and
times: `ndcg`, `kendall_tau` and `concordance`, of one score for each example.

``Y_true`` is n × K, zeros and ones, dense or sparse, or a `LabelSets`. Y_i are the labels of
example i, and y_ij = 1 for those. Predictions of measures at k are ``best``:

- n × m whole numbers, m ≥ k: the places of the labels of each example, best first, −1 for none, as
  `LabelModel.predict_top_k` returns them;
- or scores, an array n × K;
- or scores in batches: an iterable of such arrays, or of (first row, array), as
  `LabelModel.in_batches` yields them. Of equal scores the first labels are taken.

No n × K array is made here. Every function raises ValueError for predictions of another shape, with
a label twice in a row, and with scores that are NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.label_sets import LabelSets
from rrmlinear.training.order_measures import concordance, kendall_tau, ndcg

__all__ = [
    "concordance",
    "kendall_tau",
    "macro_f1",
    "micro_f1",
    "ndcg",
    "ndcg_at_k",
    "precision_at_k",
    "propensities",
    "psp_at_k",
    "recall_at_k",
]

Array = NDArray[Any]
#: The k of the P@k that are told of models, up to the number of labels.
RANKS = (1, 3, 5)


def precision_at_k(Y_true: Any, best: Any, k: int) -> float:
    """P@k: the mean of |best k ∩ Y_i| / k.

    Examples
    --------
    >>> from rrmlinear.metrics import precision_at_k
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[2, 1], [0, 1]], k=2)
    0.5
    """
    return float(_Hits.of(Y_true, best, k).hits.mean())


def recall_at_k(Y_true: Any, best: Any, k: int) -> float:
    """R@k: the mean of |best k ∩ Y_i| / |Y_i|, which is 0 for an example without labels."""
    found = _Hits.of(Y_true, best, k)
    return float((found.hits.sum(axis=1) / np.maximum(found.sizes, 1)).mean())


def ndcg_at_k(Y_true: Any, best: Any, k: int) -> float:
    """nDCG@k: the mean of Σ_{r ≤ k} y_{i,r} / log₂(r + 1), y_{i,r} of the r-th best label, over its
    largest value Σ_{r ≤ min(k, |Y_i|)} 1 / log₂(r + 1); 0 for an example without labels.
    """
    found = _Hits.of(Y_true, best, k)
    discounts = 1 / np.log2(np.arange(2, k + 2))
    largest = np.cumsum(discounts)[np.clip(found.sizes, 1, k) - 1]
    return float((found.hits @ discounts / largest).mean())


def psp_at_k(Y_true: Any, best: Any, k: int, propensity: Any) -> float:
    """PSP@k: precision with the label l counted 1 / p_l times, normalized (Jain, Prabhu and Varma,
    KDD 2016).

    The mean of (1/k) Σ_{l ∈ best k ∩ Y_i} 1 / p_l over its mean for the best k that there are:
    those of Y_i with the least p_l. ``propensity`` has p, K numbers in (0, 1]: see `propensities`.
    It is 0 where no example has a label.
    """
    found = _Hits.of(Y_true, best, k)
    given = np.asarray(propensity, dtype=np.float64)
    n, n_labels = found.truth.shape
    if given.shape != (n_labels,):
        raise ValueError(f"propensity must have {n_labels} numbers, one a label, not {given.shape}")
    if not ((given > 0) & (given <= 1)).all():
        raise ValueError("propensities must be above 0 and at most 1")
    gains = 1 / given
    reached = gains[found.best][found.hits].sum()
    places, sizes = found.truth.indices, found.sizes
    rows = np.repeat(np.arange(n), sizes)
    order = np.lexsort((-gains[places], rows))
    rank = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    largest = gains[places[order]][rank < k].sum()
    return float(reached / largest) if largest else 0.0


def propensities(Y_train: Any, a: float = 0.55, b: float = 1.5) -> NDArray[np.float64]:
    """The propensity of each label, p_l = 1 / (1 + c (N_l + b)^−a), c = (log n − 1)(b + 1)^a, from
    the n examples trained on, N_l of which have the label.

    a and b are those of Jain, Prabhu and Varma for most sets; they take a = 0.6, b = 2.6 for Amazon
    and a = 0.5, b = 0.4 for Wikipedia. Raises ValueError for less than three examples, and for a
    and b that are no finite numbers of at least 0.
    """
    if not (0 <= a < np.inf and 0 <= b < np.inf):
        raise ValueError(f"a is {a!r} and b {b!r}; both must be finite and at least 0")
    labels = _sets(Y_train)
    if labels.n_rows < 3:
        raise ValueError(f"propensities need at least 3 examples, and there are {labels.n_rows}")
    c = (np.log(labels.n_rows) - 1) * (b + 1) ** a
    return np.asarray(1 / (1 + c * (labels.counts + b) ** -a))


def micro_f1(Y_true: Any, Y_pred: Any) -> float:
    """2 Σ TP / Σ (2 TP + FP + FN), sums over labels: F1 of all pairs of example and label; 0 where
    there are none.

    ``Y_pred`` is as ``Y_true``, or an iterable of such matrices of consecutive rows.
    """
    true, predicted, both = counts_of(Y_true, Y_pred)
    total = true.sum() + predicted.sum()
    return float(2 * both.sum() / total) if total else 0.0


def macro_f1(
    Y_true: Any, Y_pred: Any, *, of_means: bool = False, leave_absent_out: bool = False
) -> float:
    """The mean of the F1 of labels, 2 TP / (2 TP + FP + FN); or, ``of_means``, F1 of the mean
    precision TP / (TP + FP) and the mean recall TP / (TP + FN), where 0 / 0 is 0.

    Labels that are absent, which neither ``Y_true`` nor ``Y_pred`` has, count 0, or are left out of
    the means. ``Y_pred`` is as in `micro_f1`. The result is 0 where no label is left.
    """
    true, predicted, both = counts_of(Y_true, Y_pred)
    if leave_absent_out:
        present = true + predicted > 0
        true, predicted, both = true[present], predicted[present], both[present]
    if not len(true):
        return 0.0
    if not of_means:
        return float((2 * both / np.maximum(true + predicted, 1)).mean())
    precision = (both / np.maximum(predicted, 1)).mean()
    recall = (both / np.maximum(true, 1)).mean()
    return float(2 * precision * recall / (precision + recall)) if both.any() else 0.0


class _Hits(NamedTuple):
    """Which of the best labels are right, n × k; these, the truth, and its numbers of labels."""

    hits: NDArray[np.bool_]
    best: NDArray[np.int64]
    truth: Any
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, Y_true: Any, best: Any, k: int) -> _Hits:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ValueError(f"k must be a whole number of at least 1, got {k!r}")
        truth = _sets(Y_true).matrix()
        n, n_labels = truth.shape
        if n == 0:
            raise ValueError("there are no examples; at least one is needed")
        places = _best_of(best, n, n_labels, int(k))
        sizes = np.diff(truth.indptr).astype(np.int64)
        at = np.repeat(np.arange(n), sizes) * n_labels + truth.indices
        wanted = np.arange(n)[:, None] * n_labels + places
        found = np.minimum(np.searchsorted(at, wanted), max(len(at) - 1, 0))
        hits = (at[found] == wanted) & (places >= 0) if len(at) else np.zeros(wanted.shape, bool)
        return cls(hits, places, truth, sizes)


def _sets(Y: Any) -> LabelSets:
    return Y if isinstance(Y, LabelSets) else LabelSets.from_matrix(Y)


def _best_of(best: Any, n: int, n_labels: int, k: int) -> NDArray[np.int64]:
    """The places of the k best labels of each row, −1 for none."""
    if _is_nested(best):
        best = np.asarray(best)
    if isinstance(best, np.ndarray) and best.dtype.kind in "iu":
        places = _checked_places(best, n, n_labels, k)
    else:
        batches = [best] if isinstance(best, np.ndarray) else best
        found = [_largest(scores, n_labels, k) for scores in _arrays_of(batches)]
        places = np.concatenate(found) if found else np.zeros((0, k), dtype=np.int64)
        if len(places) != n:
            raise ValueError(f"Y_true has {n} rows, and the scores have {len(places)}")
    return places


def _is_nested(given: Any) -> bool:
    """Whether a list holds the rows of a matrix; else it holds batches."""
    first: Any = given[0] if isinstance(given, (list, tuple)) and given else None
    is_row = isinstance(first, (list, tuple, np.ndarray))
    return is_row and all(np.ndim(each) == 0 for each in first)


def _arrays_of(batches: Any) -> Iterator[Array]:
    for batch in batches:
        is_pair = isinstance(batch, tuple) and len(batch) == 2 and np.ndim(batch[0]) == 0
        yield np.asarray(batch[1] if is_pair else batch)


def _checked_places(best: Array, n: int, n_labels: int, k: int) -> NDArray[np.int64]:
    if best.ndim != 2 or len(best) != n or best.shape[1] < k:
        raise ValueError(
            f"the best labels must be {n} × {k} places or wider, and are of shape {best.shape}"
        )
    places = best[:, :k].astype(np.int64)
    wrong = np.argwhere((places < -1) | (places >= n_labels))
    if len(wrong):
        i, r = wrong[0]
        raise ValueError(f"best[{i}, {r}] is {places[i, r]}; it must be from -1 to {n_labels - 1}")
    each = np.sort(places, axis=1)
    twice = np.argwhere((each[:, 1:] == each[:, :-1]) & (each[:, 1:] >= 0))
    if len(twice):
        i, r = twice[0]
        raise ValueError(f"row {i} of the best labels has the label {each[i, r]} twice")
    return places


def _largest(scores: Array, n_labels: int, k: int) -> NDArray[np.int64]:
    if scores.ndim != 2 or scores.shape[1] != n_labels or scores.dtype.kind != "f":
        raise ValueError(
            f"scores must be arrays of floats with {n_labels} columns, one a label, and are of "
            f"shape {scores.shape} and type {scores.dtype}"
        )
    if np.isnan(scores).any():
        raise ValueError("scores must not be NaN")
    places = np.full((len(scores), k), -1, dtype=np.int64)
    few = min(k, n_labels)
    if few and len(scores):
        least = -np.partition(-scores, few - 1, axis=1)[:, few - 1 : few]
        for row, (given, limit) in enumerate(zip(scores, least, strict=True)):
            chosen = np.flatnonzero(given >= limit)  # more than ``few`` where scores are equal
            places[row, :few] = chosen[np.argsort(-given[chosen], kind="stable")][:few]
    return places


def measures_of(Y_true: Any, best: Array, predicted: Any = None) -> dict[str, float]:
    """P@k of some places, and micro-F1 and macro-F1 of the nonzeros of a csr_array, whose labels
    are the first of ``Y_true``.
    """
    ranks = [rank for rank in RANKS if rank <= best.shape[1]]
    found = {f"P@{rank}": precision_at_k(Y_true, best, rank) for rank in ranks}
    if predicted is not None:
        from scipy.sparse import csr_array

        ones, shape = np.ones(predicted.nnz, np.int8), (Y_true.n_rows, Y_true.n_labels)
        predicted = csr_array((ones, predicted.indices, predicted.indptr), shape)
        found |= {"Micro-F1": micro_f1(Y_true, predicted), "Macro-F1": macro_f1(Y_true, predicted)}
    return found


def counts_of(Y_true: Any, Y_pred: Any) -> tuple[Array, Array, Array]:
    """How many rows have each label: in truth, predicted, and both."""
    truth = _sets(Y_true)
    matrix = truth.matrix()
    is_whole = isinstance(Y_pred, (LabelSets, np.ndarray)) or hasattr(Y_pred, "tocsr")
    predicted = np.zeros(truth.n_labels, dtype=np.int64)
    both = np.zeros(truth.n_labels, dtype=np.int64)
    begin = 0
    for batch in [Y_pred] if is_whole or _is_nested(Y_pred) else Y_pred:
        labels = _sets(batch)
        if isinstance(batch, LabelSets) and isinstance(Y_true, LabelSets):
            for true, other in zip(truth.names.tolist(), labels.names.tolist(), strict=False):
                if true != other:
                    raise ValueError(
                        f"Y_true has the label {true!r} where Y_pred has {other!r}; "
                        "LabelSets.from_lists(lists, names) makes both of one order"
                    )
        end = begin + labels.n_rows
        if labels.n_labels != truth.n_labels or end > truth.n_rows:
            raise ValueError(
                f"Y_true is {truth.n_rows} × {truth.n_labels}, but Y_pred has "
                f"{labels.n_labels} columns, and at least {end} rows"
            )
        predicted += labels.counts
        common = matrix[begin:end].multiply(labels.matrix()).tocoo()
        both += np.bincount(common.col, minlength=truth.n_labels)
        begin = end
    if begin != truth.n_rows:
        raise ValueError(f"Y_true has {truth.n_rows} rows, but Y_pred has {begin}")
    return truth.counts, predicted, both
