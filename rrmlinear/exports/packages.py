"""Packages of others, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(module: str, who: str, install: str) -> Any:
    """The module; ImportError with a sentence on who needs it and what installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{who} needs {module}: pip install '{install}'") from error
