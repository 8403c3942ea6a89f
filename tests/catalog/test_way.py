"""The way of an example from the command line to the kernel enters each module once."""

import sys

import numpy as np
import pytest

from rrmlinear.cli.command import run


def modules_of(frame):
    """The package's modules on the stack, outermost first, neighbours of one module together."""
    found = []
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("rrmlinear.") and (not found or found[-1] != name):
            found.append(name)
        frame = frame.f_back
    return found[::-1]


def down_to_the_solver(modules):
    """The way up to the first module of a solver, or to a callback of compiled passes."""
    for at, name in enumerate(modules):
        if name.startswith("rrmlinear.solvers."):
            return modules[: at + 1]
        if name.startswith("rrmlinear.cli.") and "rrmlinear.training.fit" in modules[:at]:
            return modules[:at]
    return modules


@pytest.mark.parametrize(("number", "n"), [(30, 30), (30, 9000), (32, 30), (37, 30)])
def test_each_module_is_entered_once(tmp_path, monkeypatch, number, n):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    lines = (f"{i % 3} 1:{a:.3g} 2:{b:.3g}\n" for i, (a, b) in enumerate(rng.normal(size=(n, 2))))
    (tmp_path / "data").write_text("".join(lines))
    ways, passes = set(), set()

    def see(frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("rrmlinear."):
            modules = modules_of(frame)
            ways.add(tuple(down_to_the_solver(modules)))
            if frame.f_code.co_name == "run_pass":
                passes.add(tuple(modules))

    sys.setprofile(see)
    try:
        assert run("training", ["-q", "-s", str(number), "-t", "2", "data"]) == 0
    finally:
        sys.setprofile(None)
    assert [way for way in ways | passes if len(set(way)) < len(way)] == []
    for way in passes:
        rooms = list(dict.fromkeys(name.split(".")[1] for name in way))
        assert rooms == ["cli", "training", "solvers"]
    assert passes or (number, n) == (30, 30)  # passes of a small problem are compiled
