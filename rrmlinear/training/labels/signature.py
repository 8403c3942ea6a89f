"""How files of label models begin."""

from __future__ import annotations

from os import PathLike

SIGNATURE = b"rrmlinear labels 1\n"


def begins_with_labels(path: str | PathLike[str]) -> bool:
    """Whether a file begins as one of a `LabelModel`. Raises OSError as `open` does."""
    with open(path, "rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE
