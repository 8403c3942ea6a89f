"""Pdprox's rivals reach one optimum, and the benchmark records when."""

from __future__ import annotations

import json

import numpy as np
import pytest

LOSSES = {"hinge": {}, "absolute": {}, "epsilon-insensitive": {"epsilon": 0.1}}
LOSSES["quantile"] = {"quantile": 0.3}
SIZES = (2, 4, 6)
LAM = 0.02


def norms(problem):
    return {
        "l1": problem.L1(),
        "l1, intercept": problem.FreeLast(problem.L1()),
        "group-lasso": problem.GroupNorm(np.array(SIZES)),
        "l1inf": problem.RowMax(3),
        "trace": problem.TraceNorm((3, 4)),
    }


def small(loss):
    random = np.random.default_rng(0)
    X = random.standard_normal((150, 12))
    y = X @ (random.standard_normal(12) * (np.arange(12) < 4)) + random.standard_normal(150)
    return X, np.where(y > 0, 1.0, -1.0) if loss == "hinge" else y


def spec_of(tool, loss, norm):
    name, _, intercept = norm.partition(", ")
    kinds = {"group-lasso": {"sizes": SIZES}, "l1inf": {"tasks": 3}}
    more = {**LOSSES[loss], **kinds.get(name, {}), "intercept": bool(intercept)}
    return tool("nonsmooth_peers").Spec("any", loss, name, LAM, **more)


def objective_of(tool, loss, norm):
    """The objective, and the arguments of a peer."""
    problem, X_y = tool("pdprox_problem"), small(loss)
    spec = spec_of(tool, loss, norm)
    X = tool("nonsmooth_peers").with_ones(X_y[0], spec)
    kind = problem.PiecewiseLinear.named(loss, X_y[1], **LOSSES[loss])
    objective = problem.Objective(X, X_y[1], kind, norms(problem)[norm], LAM)
    return objective, (*X_y, spec)


@pytest.mark.parametrize("loss", ["hinge", "quantile"])
@pytest.mark.parametrize("norm", ["l1", "l1, intercept"])
def test_other_packages_find_the_same_optimum(tool, loss, norm):
    pytest.importorskip("sklearn")
    objective, problem = objective_of(tool, loss, norm)
    found = {}
    for name, make in tool("nonsmooth_peers").SOLVERS.items():
        try:
            found[name] = objective.value(make(*problem)(150))
        except (ImportError, ValueError):
            continue
    least = min(found.values())
    assert "SciPy linprog (HiGHS)" in found
    assert ("scikit-learn QuantileRegressor" in found) == (loss == "quantile")
    for name, value in found.items():
        assert value <= least * (1 + 1e-6), name


def test_table_and_picture(tool, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture, notes = tmp_path / "out.png", tmp_path / "notes.json"
    words = ["quantile-generated", "--tasks", "2000 ×", "--rows", "300", "--turns", "1"]
    words += ["--methods", "Pdprox-dual (-s 37); Pdprox-dual, gap proved; FOBOS"]
    words += ["--limit", "2", "--levels", "0.1,0.01,1e-3", "--notes", str(notes)]
    assert tool("bench_pdprox").main([*words, "--png", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| task | method | passes | CPU s | wall s |"
    names = [line.split("|")[2].strip() for line in lines[2:5]]
    assert names == ["Pdprox-dual (-s 37)", "Pdprox-dual, gap proved", "FOBOS"]
    assert lines[5].startswith("found: generated, 2000 × 20, quantile 0.8 + l1, λ = 0.01, to 0.")
    passes, seconds = (
        [float(cell) for cell in lines[2].split("|")[at].split("/")] for at in (3, 4)
    )
    assert passes == sorted(passes)
    assert seconds == sorted(seconds)
    assert picture.read_bytes().startswith(b"\x89PNG")
    (known,) = json.loads(notes.read_text()).values()
    assert np.log2(known["factors"]["fobos"]) in tool("pdprox_curves").POWERS
    assert known["gap"] <= 1e-5


@pytest.mark.parametrize("loss", ["levels", "absolute"])
def test_entries_of_a_matrix_are_judged_as_the_solver_does(tool, loss):
    tasks, methods = tool("pdprox_tasks"), tool("pdprox_methods")
    random = np.random.default_rng(0)
    known = np.flatnonzero(random.random(6 * 5) < 0.7)
    X = tasks.entries(known // 5, known % 5, (6, 5))
    y = random.integers(0, 5, len(known)).astype(float)
    task = tasks.Task("small", X, y, loss, "trace", 0.05, matrix=(6, 5))
    curve, result = methods.run_of(task, methods.solver_of(task, 37), gap_tol=1e-6)
    assert curve.least == pytest.approx(0.05 * result.primal, rel=1e-12)
    assert {"gd", "Pdexg", "Pdprox-dual (-s 37)"} <= set(methods.entrants(task))
    assert "Pdprox-primal (-s 38)" not in methods.entrants(task)
