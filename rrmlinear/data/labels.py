"""Labels to classes, as LIBLINEAR groups them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

#: Labels of a step: beside the result, memory does not grow with the examples.
AT_ONCE = 1 << 16
FEW = 8


def group_labels(labels: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(classes, index): classes in order of first appearance, and each example's place in them.

    Where the labels are −1 and +1 in this order they are exchanged, so that +1 stands first, as
    LIBLINEAR does. Raises ValueError for a label that is not a whole number or does not fit 32
    bits, with its row.
    """
    begins = range(0, len(labels), AT_ONCE)
    first: dict[int, int] = {}
    for begin in begins:
        part = labels[begin : begin + AT_ONCE]
        _refuse_others(part, begin)
        for label, place in _first_places(part):
            first.setdefault(int(label), begin + place)
    classes = np.array(sorted(first, key=first.__getitem__), dtype=np.int64)
    if classes.tolist() == [-1, 1]:
        classes = classes[::-1].copy()
    order = np.argsort(classes)
    names = classes[order].astype(np.float64)
    index = np.empty(len(labels), dtype=np.int32)
    for begin in begins:
        part = labels[begin : begin + AT_ONCE]
        index[begin : begin + AT_ONCE] = order[np.searchsorted(names, part)]
    return classes, index


def _first_places(labels: NDArray[np.float64]) -> Iterable[tuple[float, int]]:
    """(label, place of its first example) of each label."""
    found = _each_once(np.sort(labels))
    if len(found) <= FEW:  # to compare with each is quicker than to sort places
        return [(label, int(np.argmax(labels == label))) for label in found.tolist()]
    found, places = np.unique(labels, return_index=True)
    return zip(found.tolist(), places.tolist(), strict=True)


def _each_once(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers of a sorted array without repetitions; np.unique would import another MB."""
    return ordered[np.append(True, ordered[1:] != ordered[:-1])]


def _refuse_others(labels: NDArray[np.float64], begin: int) -> None:
    wrong = np.flatnonzero((np.rint(labels) != labels) | (np.abs(labels) > 2**31 - 1))
    if wrong.size:
        raise ValueError(
            f"label {labels[wrong[0]]:g} of example {begin + wrong[0] + 1} is not a whole number "
            "of 32 bits, as classification needs"
        )
