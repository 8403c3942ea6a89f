"""Pdprox's rivals reach one optimum, and the benchmark records when."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

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


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("norm", ["l1", "l1, intercept", "group-lasso", "l1inf"])
def test_every_rival_comes_down_to_the_optimum_of_clarabel(tool, loss, norm):
    pytest.importorskip("cvxpy")
    curves, methods = tool("pdprox_curves"), tool("pdprox_baselines")
    objective, problem = objective_of(tool, loss, norm)
    weights = tool("nonsmooth_peers").SOLVERS["cvxpy, Clarabel"](*problem)(150)
    optimum, first = objective.value(weights), objective.value(np.zeros(len(weights)))
    target = optimum + 0.01 * (first - optimum)
    scales = methods.Scales.of(objective, np.linalg.norm(weights))
    for name, method in methods.BASELINES.items():

        def start(factor, method=method):
            return method(objective, scales, factor)

        factor = curves.tuned(objective, start, 5.0, target, powers=range(-2, 3))
        curve = curves.follow(objective, partial(start, factor), 20.0, target)
        assert optimum * (1 - 1e-7) <= curve.least <= target, name
        assert curve.first(target)[0] == curve.rows[-1][0] == objective.passes
        assert (np.diff([row[3] for row in curve.rows]) <= 0).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("norm", ["l1, intercept", "group-lasso", "l1inf"])
def test_the_excessive_gap_stays_one(tool, loss, norm):
    """f smoothed by μ₂ at w is never above φ smoothed by μ₁ at the duals."""
    methods = tool("pdprox_baselines")
    objective, (_, y, _) = objective_of(tool, loss, norm)
    scales = methods.Scales(1.0, objective.curvature(), 1.0)
    method = methods.ExcessiveGap(objective, scales, 1.0)
    n, epsilon = len(y), objective.loss.epsilon
    for _ in range(100):
        a, u = method.best_duals(method.w, method.s)
        upper = np.mean(a * (method.s - y) - epsilon * np.abs(a)) + LAM * u @ method.w
        upper -= method.mu2 * (method.theta_a / (2 * n) * a @ a + method.theta_u / 2 * u @ u)
        w = method.best_weights(method.v)
        lower = np.mean(-method.a * y - epsilon * np.abs(method.a))
        lower += method.v @ w + method.mu1 / 2 * w @ w
        assert upper <= lower + 1e-12
        assert_allclose(method.s, objective.X @ method.w, atol=1e-12)
        method.step()
    assert method.mu1 * method.mu2 < 1e-2 * 2 * scales.curvature


@pytest.mark.parametrize("norm", ["l1", "l1, intercept", "group-lasso", "l1inf", "trace"])
def test_norms_are_maxima_over_their_dual_balls(tool, norm):
    one = norms(tool("pdprox_problem"))[norm]
    random = np.random.default_rng(1)
    for scale in (1e-6, 1.0, 1e6):
        w = scale * random.standard_normal(12)
        own = np.append(w[:-1], 0) if "intercept" in norm else w
        u = one.project(1e12 / scale * w)
        assert_allclose(u @ w, one.value(w), rtol=1e-9)
        assert_allclose(one.slope(w) @ w, one.value(w), rtol=1e-12)
        assert u @ u / 2 <= one.spread(12) * (1 + 1e-9)
        assert one.value(w) >= one.floor * np.linalg.norm(own) * (1 - 1e-12)
        # Moreau: w = prox + step · projection of w/step.
        step = 0.3 * scale
        assert_allclose(one.prox(w, step) + step * one.project(w / step), w, rtol=1e-9)


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


def test_the_stand_in_for_donor_sites(tool):
    donor = tool("donor_sites")
    X, y = donor.donor_sites(400, seed=3)
    assert X.shape == (400, 2604)
    assert (y == 1).sum() == 200
    assert donor.SIZES.tolist() == [4] * 7 + [16] * 21 + [64] * 35
    assert (np.diff(X.indptr) == 63).all()
    assert_allclose(X.multiply(X).sum(axis=1), 1)
    ends = np.cumsum(donor.SIZES)
    for begin, end in zip(ends - donor.SIZES, ends, strict=True):
        assert_allclose(X[:, begin:end].sum(axis=1), 63**-0.5)  # one letter in each group
    again = donor.donor_sites(400, seed=3)
    assert (again[0] != X).nnz == 0
    assert (y == again[1]).all()
    assert (donor.donor_sites(400, seed=4)[0] != X).nnz > 0


def test_donor_sites_as_files(tool, tmp_path):
    assert tool("donor_sites").main([str(tmp_path / "donor"), "--rows", "20"]) == 0
    assert len((tmp_path / "donor").read_text().splitlines()) == 20
    groups = (tmp_path / "donor.groups").read_text().split()
    assert np.bincount(np.array(groups, dtype=int))[1:].tolist() == [4] * 7 + [16] * 21 + [64] * 35


def test_rows_of_tasks_are_spread_over_the_columns_of_their_own(tool):
    X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    W = np.arange(6.0).reshape(2, 3)
    tasks = np.array([2, 0, 1])
    expected = [X[i] @ W[:, tasks[i]] for i in range(3)]
    assert_allclose(tool("pdprox_tasks").expanded(X, tasks, 3) @ W.ravel(), expected)


@pytest.mark.parametrize("best", [-10, -7, 0, 3, 10])
def test_the_best_of_21_steps_is_found(tool, best):
    curves = tool("pdprox_curves")
    objective, _ = objective_of(tool, "absolute", "l1")
    tried = []

    def start(factor):
        tried.append(np.log2(factor))
        while True:
            yield np.full(12, 1e6 * (1 + abs(tried[-1] - best)))

    assert curves.tuned(objective, start, 1e-3, 0.0) == 2.0**best
    assert len(set(tried)) <= 10
    assert len(tried) == len(set(tried)) + 2


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


def test_bad_requests_are_one_sentence(tool, capsys, tmp_path, monkeypatch):
    main = tool("bench_pdprox").main
    assert main(["quantile-generated", "--tasks", "nothing"]) == 1
    assert "ERROR: no task of these suites is called nothing" in capsys.readouterr().err
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    assert main(["svm"]) == 1
    assert f"ERROR: covtype.libsvm.binary.scale is not in {tmp_path}" in capsys.readouterr().err
    assert main(["svm", "--png", "/nowhere/x.png"]) == 1
    assert "cannot be written" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["svm", "--levels", "1e-3,1e-2"])
    assert ended.value.code == 2


def test_ratios_by_hand_and_pegasos_take_part_in_figure_8(tool, capsys, monkeypatch):
    X, y = small("hinge")
    task = tool("pdprox_tasks").Task("small", X, y, "hinge", "l2", 0.1)
    bench = tool("bench_pdprox")
    monkeypatch.setitem(bench.SUITES, "svm", [lambda: task])
    assert bench.main(["svm", "--turns", "1", "--limit", "2", "--levels", "0.1,0.01"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split("|")[2:5] for line in lines[2:] if line.startswith("|")]
    passes = {row[0].strip(): row[1] for row in rows}
    assert {"Pdprox-dual, ratio by hand", "Pegasos (-s 41)"} <= set(passes)
    assert {"Pdprox-dual, one step size", "Pdprox-dual, two step sizes"} <= set(passes)
    assert all("–" not in told for name, told in passes.items() if name.startswith("Pdprox"))


def test_tasks_with_columns_of_unequal_lengths_are_judged_as_the_solver_does(tool):
    random = np.random.default_rng(2)
    X = random.standard_normal((90, 4)) * np.array([1.0, 300.0, 1.0, 0.5])
    y, tasks = X @ random.standard_normal(4), np.arange(90) % 3
    task = tool("pdprox_tasks").Task("small", X, y, "absolute", "l1inf", 0.1, tasks=tasks)
    methods = tool("pdprox_methods")
    curve, result = methods.run_of(task, methods.solver_of(task, 37), gap_tol=1e-6)
    assert_allclose(curve.least, task.lam * result.primal, rtol=1e-6)


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


def test_a_smaller_matrix_keeps_the_fullest_rows_and_columns(tool):
    tasks = tool("pdprox_tasks")
    rows, columns = np.array([0, 1, 1, 1, 2, 2, 3]), np.array([1, 0, 1, 2, 1, 2, 3])
    y = np.arange(7.0)
    task = tasks.Task("x", tasks.entries(rows, columns, (4, 4)), y, "absolute", "trace", 1.0,
                      matrix=(4, 4))  # fmt: skip
    small = tasks.smaller(task, 4)
    assert small.matrix == (2, 2)
    assert small.y.tolist() == [2, 3, 4, 5]
    assert small.X.toarray().reshape(4, 2, 2).sum(axis=0).tolist() == [[1, 1], [1, 1]]


def test_ways_of_storing_are_compared_on_wide_rows(tool):
    tasks, methods = tool("pdprox_tasks"), tool("pdprox_methods")
    X, y = tasks.generated_text(2, 3000, 50)
    task = tasks.Task("wide", X, y, "hinge", "l2", 0.5)
    assert list(methods.entrants(task)) == list(methods.STORAGES)
