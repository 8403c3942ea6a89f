"""Labels that are words, numbered from 1 in their order, and features by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.warned import warn_caller


def are_words(values: Any) -> bool:
    """Whether an array holds words: text, or objects that are all text."""
    if values.dtype.kind in "US":
        return True
    return values.dtype.kind == "O" and all(isinstance(each, str) for each in values.tolist())


def numbered_words(words: Any, place: str) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """(the number of each word, the words in order). ValueError for a word that no line can hold,
    with ``place``.
    """
    text = np.asarray(words)
    if text.dtype.kind == "S":
        text = np.char.decode(text, "utf-8")
    names, index = np.unique(text.astype(str), return_inverse=True)
    return index.reshape(-1).astype(np.float64) + 1, checked_words(names.tolist(), place)


def checked_words(names: Sequence[str], place: str) -> tuple[str, ...]:
    """Names of labels, each of which stands on a line of its own."""
    for name in names:
        if not name or name.splitlines() != [name]:
            what = "is empty" if not name else "has an end of line"
            raise ValueError(f"{place}: the label {name!r} {what}; a label is one line of text")
    return tuple(names)


def renumbered(
    labels: NDArray[np.float64], own: Sequence[str], joint: Sequence[str]
) -> NDArray[np.float64]:
    """Numbers of words of one list as numbers of the same words in another; 0 for other words."""
    place = {name: number for number, name in enumerate(joint, 1)}
    numbers = np.array([place.get(name, 0) for name in own], dtype=np.float64)
    return numbers[labels.astype(np.int64) - 1]


def order_by(
    own: Sequence[str], features: Sequence[str], name: str, others: Sequence[str] = ()
) -> NDArray[np.int64]:
    """The place among ``own`` of each feature of a model. A warning tells what the model does not
    have, ``others`` besides. Raises ValueError for features that are missing.
    """
    places, known = {each: at for at, each in enumerate(own)}, set(features)
    missing = [each for each in features if each not in places]
    if missing:
        raise ValueError(
            f"{name} lacks {len(missing)} of the model's {len(features)} features, the first is "
            f"{missing[0]!r}"
        )
    extra = [*(each for each in own if each not in known), *others]
    if extra:
        told = ", ".join(map(repr, extra[:5])) + (" …" if len(extra) > 5 else "")
        warn_caller(f"{name}: the model does not have {told}: ignored")
    return np.array([places[each] for each in features], dtype=np.int64)
