"""Each fit looks its choices up once, and builds its loss and its regularizer once."""

from dataclasses import replace

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog import selection
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.cli.command import run
from rrmlinear.training.cross_validation import cross_validate


@pytest.fixture
def count(monkeypatch):
    """Calls of the catalog's functions, by name."""
    calls = {}

    def counted(name, function):
        def call(*arguments, **named):
            calls[name] = calls.get(name, 0) + 1
            return function(*arguments, **named)

        return call

    for name in ("find_solver", "build_regularizer", "block_loss", "checked_features"):
        monkeypatch.setattr(selection, name, counted(name, getattr(selection, name)))
    losses = {name: replace(row, maker=counted("loss", row.build)) for name, row in LOSSES.items()}
    monkeypatch.setattr(selection.select, "__defaults__", (losses, frozenset()))
    return calls


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    return Problem.from_arrays(rng.normal(size=(30, 3)), np.arange(30) % 3)


def each_once(loss):
    names = ("find_solver", "build_regularizer", loss, "checked_features")
    return dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    ("choices", "loss"),
    [
        ({"solver": 30}, "block_loss"),
        ({"solver": 32}, "loss"),  # one class against the rest: three problems
        ({"solver": 37, "regularizer": "l1"}, "loss"),
        ({"solver": 32, "loss": "softmax"}, "loss"),
        ({"solver": 35, "loss": "squared"}, "loss"),
    ],
)
def test_a_fit_looks_up_once(problem, count, choices, loss):
    fit(problem, Parameter(gap_tol=0.1, **choices))
    assert count == each_once(loss)


def test_cross_validation_looks_up_once(problem, count):
    cross_validate(problem, select(Parameter(solver=32, gap_tol=0.1)), 3)
    assert count == each_once("loss")


@pytest.mark.parametrize("more", [(), ("-v", "3")])
@pytest.mark.parametrize(("number", "loss"), [("30", "block_loss"), ("32", "loss")])
def test_a_command_looks_up_once(tmp_path, monkeypatch, count, number, loss, more):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    lines = (
        f"{i % 3} 1:{a:.17g} 2:{b:.17g}\n" for i, (a, b) in enumerate(rng.normal(size=(30, 2)))
    )
    (tmp_path / "data").write_text("".join(lines))
    assert run("training", ["-q", "-s", number, *more, "data"]) == 0
    assert count == each_once(loss)
