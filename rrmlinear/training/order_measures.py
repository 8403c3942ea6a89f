"""Measures of the order of scores: nDCG, Kendall's τ and the concordance of times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import loading

if TYPE_CHECKING:
    from rrmlinear.pages.run import Predictions

Array = NDArray[np.float64]
#: The k of nDCG@k that commands and pages tell.
USUAL_K = 10


def measures_of(loss: str, y: Array, scores: Array, groups: Any) -> dict[str, float]:
    """The measures of a loss of orders, by their names; grades below 0 have no nDCG."""
    if loss.startswith("cox"):
        return {"Concordance": concordance(y, -scores, groups)}
    found = {"Kendall's tau": kendall_tau(y, scores, groups)}
    if len(y) and y.min() >= 0:
        found = {f"nDCG@{USUAL_K}": ndcg(y, scores, groups, USUAL_K)} | found
    return found


def order_predictions(name: str, loss: str, y: Array, scores: Array, groups: Any) -> Predictions:
    """What a page shows of scores: their measures, with nDCG of each query, or the survival curves
    of thirds of the scores by Kaplan and Meier.
    """
    from rrmlinear.pages.run import Predictions

    y, scores, group = _checked(y, scores, groups)
    measures = {"examples": float(len(y))}
    parts, curves = None, []
    if loss.startswith("cox"):
        measures["events"] = float(np.count_nonzero(~np.signbit(y)))
        third = np.searchsorted(np.quantile(scores, [1 / 3, 2 / 3]), scores, side="right")
        names = ("lowest third of scores", "middle third", "highest third")
        curves = [
            (told, *kaplan_meier(y[third == j])) for j, told in enumerate(names) if j in third
        ]
    else:
        measures["queries"] = float(group.max(initial=-1) + 1)
        if len(y) and y.min() >= 0:
            each = _of_queries(y, scores, group, USUAL_K)
            parts = (f"nDCG@{USUAL_K} of a query", each) if len(each) > 1 else None
    measures |= measures_of(loss, y, scores, groups)
    return Predictions(name, scores, y, measures=measures, of_groups=parts, curves=curves)


def kaplan_meier(times: Array) -> tuple[Array, Array]:
    """(times, parts that an event has not come to), from (0, 1) on; − marks censored times."""
    at, place = np.unique(np.abs(times), return_inverse=True)
    died = np.bincount(place, ~np.signbit(times), len(at))
    left = np.bincount(place, minlength=len(at))[::-1].cumsum()[::-1]
    return np.append(0.0, at), np.append(1.0, np.cumprod(1 - died / left))


def ndcg(y: Any, scores: Any, qid: Any = None, k: int | None = None) -> float:
    """nDCG@k: the mean over queries of Σ_{r ≤ k} (2^{y_r} − 1) / log₂(r + 1), y_r the grade of the
    r-th largest score, over its largest value.

    Examples of equal scores share the mean of their gains. ``y`` are grades of at least 0, ``qid``
    the query of each example, None for one; k is None for all ranks. Queries without a grade above
    0 do not count; NaN where none does.

    Examples
    --------
    >>> from rrmlinear.metrics import ndcg
    >>> round(ndcg([2, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.1, 0.2], [1, 1, 1, 2, 2], k=2), 4)
    0.9132
    """
    y, scores, query = _checked(y, scores, qid)
    if len(y) and y.min() < 0:
        raise ValueError(f"y has the grade {y.min():g}; grades of nDCG must be at least 0")
    if k is not None and k < 1:
        raise ValueError(f"k is {k}; it must be a whole number of at least 1")
    each = _of_queries(y, scores, query, k)
    return float(each.mean()) if len(each) else float("nan")


def _of_queries(y: Array, scores: Array, query: Any, k: int | None) -> Array:
    """nDCG@k of the queries with a grade above 0."""
    if not len(y):
        return np.empty(0)
    gains = np.exp2(y) - 1
    order = np.lexsort((-scores, query))
    is_new = np.append(True, np.diff(query[order]) != 0)
    steps = is_new.copy()
    steps[1:] |= np.diff(scores[order]) != 0
    tied = np.cumsum(steps) - 1
    means = np.bincount(tied, gains[order]) / np.bincount(tied)
    found = _discounted(means[tied], query[order], is_new, k)
    ideal = np.lexsort((-gains, query))
    best = _discounted(gains[ideal], query[ideal], is_new, k)
    counts = best > 0
    return np.asarray(found[counts] / best[counts])


def _discounted(gains: Array, query: Any, is_new: Any, k: int | None) -> Array:
    """The sums of gains over queries that follow each other, by the place in the query."""
    starts = np.flatnonzero(is_new)
    rank = np.arange(len(gains)) - np.repeat(starts, np.diff(np.append(starts, len(gains))))
    shares = 1 / np.log2(rank + 2)
    if k is not None:
        shares[rank >= k] = 0
    sums: Array = np.bincount(query, gains * shares).astype(np.float64)
    return sums


def kendall_tau(y: Any, scores: Any, qid: Any = None) -> float:
    """Kendall's τ within queries: the pairs of different grades in the right order, less those in
    the wrong one, over all of them; equal scores count as neither. NaN without a pair.

    O(n log n). ``y`` are grades, ``qid`` the query of each example, None for one.

    Examples
    --------
    >>> from rrmlinear.metrics import kendall_tau
    >>> kendall_tau([2, 1, 0, 1, 0], [3.0, 2.0, 2.5, 0.5, 0.1], [1, 1, 1, 2, 2])
    0.5
    """
    y, scores, query = _checked(y, scores, qid)
    right, wrong, total = _pairs(y, scores, query, np.ones(len(y)))
    return (right - wrong) / total if total else float("nan")


def concordance(times: Any, predicted: Any, strata: Any = None, event: Any = None) -> float:
    """Harrell's C: of the pairs of an event and a later time, the share with the larger prediction
    at the later one; equal predictions count half. NaN without a pair.

    ``times`` have the sign − where they are censored, unless ``event`` says it. O(n log n).

    Examples
    --------
    >>> from rrmlinear.metrics import concordance
    >>> concordance([1.0, 2.0, -3.0, 4.0], [0.1, 0.4, 0.3, 0.9])
    0.8
    """
    times, predicted, stratum = _checked(times, predicted, strata)
    died = ~np.signbit(times) if event is None else np.asarray(event, dtype=bool)
    keys = np.stack([np.abs(times), (~died).astype(np.float64)], axis=1)
    rank = np.unique(keys, axis=0, return_inverse=True)[1].ravel().astype(np.float64)
    right, wrong, total = _pairs(-rank, -predicted, stratum, died.astype(np.float64))
    return (right + (total - right - wrong) / 2) / total if total else float("nan")


def _pairs(y: Array, scores: Array, query: Any, upper: Array) -> tuple[float, float, float]:
    """The pairs within queries in the right order, in the wrong one, and all."""
    with loading:
        from rrmlinear.risks.layouts.orders import QueryPairs

    if not len(y):
        return 0.0, 0.0, 0.0
    pairs = QueryPairs(y, query, upper, np.ones(len(y)))
    wrong, right = (float(pairs.slopes(each, 0.0)[0].sum()) for each in (scores, -scores))
    return right, wrong, float(pairs.slopes(np.zeros(len(y)), 1.0)[0].sum())


def _checked(y: Any, scores: Any, groups: Any) -> tuple[Array, Array, Any]:
    y, scores = (np.ascontiguousarray(each, dtype=np.float64).ravel() for each in (y, scores))
    groups = np.zeros(len(y)) if groups is None else np.asarray(groups).ravel()
    for name, each in (("scores", scores), ("groups", groups)):
        if len(each) != len(y):
            raise ValueError(f"{name} have {len(each)} entries, and y has {len(y)}")
    if not (np.isfinite(y).all() and np.isfinite(scores).all()):
        raise ValueError("y and scores must be finite numbers")
    return y, scores, np.unique(groups, return_inverse=True)[1].ravel()
