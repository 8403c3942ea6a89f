"""The slow reference reader and the text generator of tools/, shared by the reader's tests."""

import importlib
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def fuzz_reader():
    tools = str(Path(__file__).resolve().parents[2] / "tools")
    sys.path.insert(0, tools)
    yield importlib.import_module("fuzz_reader")
    sys.path.remove(tools)
