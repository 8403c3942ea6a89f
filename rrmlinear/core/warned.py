"""Warnings in the name of whoever called the package."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn in the name of the first file outside the package: its functions call each other."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
