"""Names of labels in containers whose examples have several: JSON in an array of bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record


class Names(Protocol):
    """Labels by the numbers that examples have of them."""

    @property
    def texts(self) -> list[str]:
        """The text of each number that has come until now."""
        ...

    def final(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """All names in their order, and the place among them of each number."""
        ...


@record()
class KnownNames:
    """Names that are known, and the place of each number among them."""

    names: NDArray[Any]
    places: NDArray[np.int64]

    @property
    def texts(self) -> list[str]:
        return list(map(str, self.names[self.places].tolist()))

    def final(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        return self.names, self.places


def packed_names(
    feature_names: Sequence[str] | None, label_names: Sequence[str] | None
) -> dict[str, bytes]:
    """The sections of names of features and of words of labels, those that there are."""
    named = {"lnames": label_names, "fnames": feature_names}
    return {key: json.dumps(list(each)).encode() for key, each in named.items() if each is not None}


def unpacked_names(data: bytes, least: int) -> tuple[str, ...]:
    """The names of a section, at least ``least``. ValueError for bytes that hold no such list."""
    listed = json.loads(data)
    if not isinstance(listed, list) or len(listed) < least:
        raise ValueError("names are no list, or too few")
    return tuple(map(str, listed))


def packed(names: NDArray[Any], places: NDArray[np.int64]) -> bytes:
    """Bytes of names and places. ValueError for labels that are no text, numbers or booleans."""
    listed = names.tolist()
    for name in listed:
        if not isinstance(name, str | int | float):
            kind = type(name).__name__
            raise ValueError(f"labels that are {kind} cannot be saved: give text or numbers")
    return json.dumps([listed, places.tolist()]).encode()


def unpacked(data: bytes) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """What `packed` made bytes of. Raises ValueError for other bytes."""
    listed, numbers = json.loads(data)
    names = np.array(listed) if listed else np.zeros(0, np.int64)
    places = np.array(numbers, dtype=np.int64).reshape(-1)
    if names.ndim != 1 or (len(places) and not 0 <= places.min() <= places.max() < len(names)):
        raise ValueError("names are no list, or places are outside of it")
    return names, places
