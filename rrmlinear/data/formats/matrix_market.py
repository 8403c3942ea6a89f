"""Matrix Market text, .mtx and .mtx.gz, read by SciPy."""

from __future__ import annotations

import os
from typing import Any

from rrmlinear.data.formats.asked import Asked
from rrmlinear.data.formats.batches import MatrixExamples


class MatrixMarket(MatrixExamples):
    """Rows are examples, or columns where that is asked for or the sizes tell."""

    def __init__(self, path: Any, asked: Asked):
        super().__init__(os.fsdecode(path), asked)

    def matrix(self) -> Any:
        from scipy.io import mmread

        try:
            found = mmread(self.name)
        except (ValueError, OverflowError, EOFError) as error:
            raise ValueError(f"{self.name} cannot be read: {error}") from None
        if found.dtype.kind == "c":
            raise ValueError(f"{self.name} holds complex numbers; allowed are real ones")
        return found.tocsr() if hasattr(found, "tocsr") else found
