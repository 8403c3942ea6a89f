"""The scripts of datasets/ are no package: tests load them by path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "datasets"


@pytest.fixture
def datasets_folder():
    return FOLDER


@pytest.fixture
def script(monkeypatch):
    """Load datasets/NAME.py as running it would, its folder first on the path."""
    monkeypatch.syspath_prepend(FOLDER)

    def load(name):
        specification = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(specification)
        # A dataclass looks its module up by name while it is made.
        monkeypatch.setitem(sys.modules, name, module)
        specification.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def hide_module(monkeypatch):
    """Make the import of a module fail as if it were not installed."""
    return lambda name: monkeypatch.setitem(sys.modules, name, None)
