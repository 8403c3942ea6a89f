"""A plugin of pytest: scikit-learn's own test files, with our classes in place of its own."""

from __future__ import annotations

import ast
import importlib
import json
import os
import signal
import types
from pathlib import Path
from typing import Any

import pytest

import rrmlinear
from rrmlinear.estimators.base import Certified, Elsewhere

#: The test files, by the folder of scikit-learn that holds them.
FILES = {
    "linear_model": (
        "common",
        "coordinate_descent",
        "huber",
        "logistic",
        "quantile",
        "ridge",
        "sag",
        "sparse_coordinate_descent",
    ),
    "svm": ("bounds", "sparse", "svm"),
}
#: Modules whose classes are swapped, with their private parts.
SWAPPED = ("sklearn.linear_model", "sklearn.svm")
#: Seconds that a test may take.
LIMIT = 120

NAMES = {
    name
    for module in SWAPPED
    for name in importlib.import_module(module).__all__
    if isinstance(getattr(rrmlinear, name, None), type)
}


def source_of(folder: str, name: str) -> Path:
    """The test file in the installed scikit-learn."""
    module = importlib.import_module(f"sklearn.{folder}")
    assert module.__file__ is not None
    return Path(module.__file__).parent / "tests" / f"test_{name}.py"


def swapped(source: str) -> str:
    """The source with our classes imported behind scikit-learn's, each line in its place."""
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("sklearn"):
            continue
        own = [
            f"from rrmlinear import {each.name} as {each.asname or each.name}"
            for each in node.names
            if each.name in NAMES and str(node.module).startswith(SWAPPED)
        ]
        own += [
            f"from {__name__} import {each.name} as {each.asname or each.name}"
            for each in node.names
            if f"{node.module}.{each.name}" in SWAPPED
        ]
        if own:
            assert node.end_lineno is not None
            end, at = node.end_lineno - 1, node.end_col_offset
            line = lines[end].encode()
            lines[end] = "; ".join([line[:at].decode(), *own]) + line[at:].decode()
    return "\n".join(lines) + "\n"


def _overlaid(module: str) -> types.ModuleType:
    """A copy of a module of scikit-learn with our classes."""
    theirs = importlib.import_module(module)
    copy = types.ModuleType(module)
    vars(copy).update(
        vars(theirs), **{n: getattr(rrmlinear, n) for n in theirs.__all__ if n in NAMES}
    )
    return copy


linear_model, svm = map(_overlaid, SWAPPED)


class _Made:
    """Whether an estimator of ours was made since the last look."""

    seen = False


def _make(cls: type, *_: Any, **__: Any) -> Any:
    _Made.seen = True
    return object.__new__(cls)


refused = Elsewhere.__new__


def _ask(cls: type, *values: Any, **named: Any) -> Any:
    """As `Elsewhere`; a class that refuses a parameter was to be made too."""
    _Made.seen = True
    return refused(cls, *values, **named)


def _is_ours(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_ours, value))
    kind = value if isinstance(value, type) else type(value)
    return issubclass(kind, Certified)


def _stop(*_: Any) -> None:
    raise TimeoutError(f"the test took more than {LIMIT} seconds")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Any:
    given = getattr(item, "callspec", None)
    _Made.seen = given is not None and any(map(_is_ours, given.params.values()))
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(LIMIT)
    try:
        return (yield)
    finally:
        signal.alarm(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    report = yield
    report.user_properties = [("ours", _Made.seen)]
    return report


class Outcomes:
    """The outcomes of the tests that make estimators of ours, written at the end."""

    def __init__(self, path: str) -> None:
        self.path, self.found = path, {}  # type: ignore[var-annotated]

    def pytest_runtest_logreport(self, report: Any) -> None:
        is_over = report.when == "call" or (report.when == "setup" and report.outcome != "passed")
        if is_over and dict(report.user_properties).get("ours") and report.outcome != "skipped":
            end = getattr(report.longrepr, "reprcrash", None)
            said = "" if report.passed else (end.message if end else str(report.longrepr))
            name = report.nodeid.rpartition("/")[2]
            self.found[name] = (report.outcome, said, round(report.duration, 2))

    def pytest_sessionfinish(self) -> None:
        Path(self.path).write_text(json.dumps(self.found), encoding="utf-8")


def pytest_configure(config: Any) -> None:
    Certified.__new__ = _make  # type: ignore[method-assign, assignment]
    Elsewhere.__new__ = _ask  # type: ignore[method-assign, assignment]
    path = os.environ.get("SWAP_OUTCOMES")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(path))
