"""The Run: what a page shows of a training."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.pages.facts import DataFacts
from rrmlinear.pages.traces import DualCounts
from rrmlinear.solvers.loop.result import Result

#: Packages whose versions a page names.
PACKAGES = ("rrmlinear", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Cell:
    """Words in a table, whether they are "good" or "bad" news, and a shade from 0 to 1 behind."""

    text: str
    tone: str = ""
    shade: float = 0.0

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Table:
    """A table of a page: its title, heads of columns, and rows of numbers, words or cells."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of n examples, and what is true.

    ``name`` names the examples. ``predicted`` and ``true`` are labels, or numbers (n, or n × k)
    where ``classes`` is None; ``true`` is None where nothing is known. ``scores`` are n × k in the
    order of ``classes``, or n numbers that are large for ``classes[positive]``. Of ranks and times
    there are ``measures``, a number ``of_groups`` for each query, and ``curves`` of survival, each
    a name with times and parts.
    """

    name: str
    predicted: NDArray[Any]
    true: NDArray[Any] | None = None
    classes: NDArray[Any] | None = None
    scores: NDArray[Any] | None = None
    positive: int = 1
    measures: Mapping[str, float] | None = None
    of_groups: tuple[str, NDArray[Any]] | None = None
    curves: Sequence[tuple[str, NDArray[Any], NDArray[Any]]] = ()

    def score_of(self, label: Any) -> NDArray[Any] | None:
        """A number of each example that is large for a class."""
        assert self.classes is not None
        j = self.classes.tolist().index(label)
        if self.scores is None or self.scores.ndim == 2:
            return None if self.scores is None else self.scores[:, j]
        return self.scores if j == self.positive else -self.scores

    @property
    def shown(self) -> list[Any]:
        """The classes with a curve of their own: one of two, else all."""
        assert self.classes is not None
        labels: list[Any] = self.classes.tolist()
        return [labels[self.positive]] if len(labels) == 2 else labels


@dataclass(frozen=True, eq=False)
class Run:
    """One training: what was asked, the weights, and the certificate.

    ``command`` is the line that makes it again. ``weights`` (features × columns) leave an appended
    column out, and ``columns`` are their names: labels, or one name for a single score. Objectives
    and gaps of ``result`` times ``scale`` are those of the user's problem. ``loss`` and ``choices``
    say the problem, or a ``sentence`` does; ``each`` has the choices of every target where there
    are several, with the scale of its objective, and ``n_classes`` tells labels from numbers.
    ``duals`` counts the sizes of its duals. ``measured`` are predictions of the training data and
    of test data. ``pictures`` stand above the ``tables``. A ``static`` page has no script.
    """

    title: str
    command: str
    loss: str = ""
    choices: Choices | None = None
    weights: NDArray[np.float64] | None = None
    columns: Sequence[str] = ()
    result: Result | None = None
    scale: float = 1.0
    duals: DualCounts | None = None
    facts: DataFacts | None = None
    feature_names: Sequence[str] | None = None
    warnings: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Any] = ()
    measured: Sequence[Predictions] = ()
    static: bool = False
    sentence: str = ""
    each: Sequence[tuple[Choices, float]] = ()
    n_classes: int = 0


def versions() -> list[tuple[str, str]]:
    """(name, version) of the packages in use, Python, the system and the processor."""
    found = []
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except ModuleNotFoundError:
            continue
    return [
        *found,
        ("Python", platform.python_version()),
        ("machine", platform.platform()),
        ("processor", f"{_processor()}, {os.cpu_count()} cores"),
    ]


def _processor() -> str:
    """The name of the processor, where the system knows one."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
