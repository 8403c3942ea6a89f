"""Training by measures of all labels: solvers against each other and a quadratic program, files."""

import numpy as np
import pytest
from labellings_by_force import labellings
from members import MEASURES
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

from rrmlinear import Model, Parameter, Problem, fit, write_libsvm
from rrmlinear.catalog.losses import MEASURE_LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.cli.command import run
from rrmlinear.training.cross_validation import cross_validate_scores
from rrmlinear.training.model_files.header import ModelFileError

cvxpy = pytest.importorskip("cvxpy")

SOLVERS = [39, 40, 35, 36, "auto"]


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 4))
    return Problem.from_arrays(X, np.where(X[:, 0] + rng.standard_normal(120) > 1, 2, 0), bias=1.0)


@pytest.mark.parametrize("loss", MEASURES)
def test_all_solvers_find_one_optimum(problem, loss):
    best = fit(problem, Parameter(loss=loss, solver=39, C=0.1, gap_tol=1e-7)).result
    assert best.solved
    for solver in SOLVERS:
        result = fit(problem, Parameter(loss=loss, solver=solver, C=0.1, gap_tol=1e-4)).result
        assert result.solved
        assert -1e-12 <= result.gap <= 1e-4 * result.primal
        assert best.dual <= result.primal * (1 + 1e-12)
        assert result.dual <= best.primal * (1 + 1e-12)
        # each gap of the trace is one
        assert all(row.gap >= -1e-9 * abs(row.primal) for row in result.trace)


def by_program(X, y, measure, C):
    """min ½‖w‖² + C ξ with a constraint for each labelling."""
    w, xi = cvxpy.Variable(X.shape[1]), cvxpy.Variable()
    constraints = [
        xi >= loss - (wrong * y) @ (X @ w) if wrong.any() else xi >= 0
        for loss, wrong in labellings(measure, y)
    ]
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(w) / 2 + C * xi), constraints)
    program.solve(solver=cvxpy.CLARABEL)
    return program.value, w.value


@pytest.mark.parametrize("loss", [name for name in MEASURES if name != "roc-area"])
def test_the_quadratic_program_over_all_labellings(loss):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((8, 3))
    y = np.where(X[:, 0] + rng.standard_normal(8) > 0, 1.0, -1.0)
    measure = select(Parameter(loss=loss)).loss
    for C in (0.05, 1.0):
        value, w = by_program(X, y, measure, C)
        for solver in (39, 35):
            tol = 1e-8 if solver == 39 else 1e-4
            given = Parameter(loss=loss, solver=solver, C=C, gap_tol=tol)
            model = fit(Problem.from_arrays(X, y), given)
            assert model.result.primal == pytest.approx(value, rel=2 * tol + 1e-6)
            assert_allclose(model.weights[:, 0], w, atol=np.sqrt(2 * tol * value) + 1e-4)


def test_the_quadratic_program_over_all_pairs():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 3))
    y = np.where(X[:, 0] + rng.standard_normal(30) > 0.7, 1.0, -1.0)
    w = cvxpy.Variable(3)
    differences = (X[y > 0][:, np.newaxis] - X[y < 0]).reshape(-1, 3)
    hinges = cvxpy.sum(cvxpy.pos(1 - differences @ w)) * 30 / len(differences)
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(w) / 2 + 0.5 * hinges))
    value = program.solve(solver=cvxpy.CLARABEL)
    for solver in (39, 35):
        given = Parameter(loss="roc-area", solver=solver, C=0.5, gap_tol=1e-6)
        assert fit(Problem.from_arrays(X, y), given).result.primal == pytest.approx(value, rel=3e-6)


def test_the_error_rate_is_the_hinge(problem):
    by_measure = fit(problem, Parameter(loss="error-rate", gap_tol=1e-6)).result
    by_loss = fit(problem, Parameter(loss="hinge", solver=32, gap_tol=1e-6)).result
    assert by_measure.primal == pytest.approx(by_loss.primal, rel=2e-6)


def test_the_larger_label_is_positive_wherever_it_stands(problem):
    given = Parameter(loss="f1", gap_tol=1e-6)
    model = fit(problem, given)
    other = fit(problem.take(np.arange(120)[::-1].copy()), given)
    assert model.labels.tolist() == other.labels.tolist() == [2, 0]
    assert other.result.primal == pytest.approx(model.result.primal, rel=1e-6)
    assert_array_equal(model.predict(problem) == 2, model.decision_function(problem) > 0)


@pytest.mark.parametrize("loss", ["roc-area", "prbep", "recall-at-k"])
def test_measures_that_rank_have_a_threshold(loss):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((120, 4))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(120) > 1, 2, 0)
    problem = Problem.from_arrays(X, y)
    model = fit(problem, Parameter(loss=loss, gap_tol=1e-4))
    positive = int((problem.labels == 2).sum())
    assert (model.predict(problem) == 2).sum() == positive
    if loss == "recall-at-k":
        model = fit(problem, Parameter(loss=loss, k=60))
        assert (model.predict(problem) == 2).sum() == 60
        assert (fit(problem, Parameter(loss=loss, k=120)).predict(problem) == 2).all()


def test_a_start_from_another_model(problem):
    first = fit(problem, Parameter(loss="f1", C=0.5, gap_tol=1e-6))
    again = fit(problem, Parameter(loss="f1", C=0.5, gap_tol=1e-4), start=first)
    assert again.result.primal <= first.result.primal * (1 + 1e-4)
    assert again.result.solved


@pytest.mark.parametrize("bias", [-1.0, 1.0])
@pytest.mark.parametrize("loss", MEASURES)
def test_models_read_back(tmp_path, problem, loss, bias):
    data = problem.with_bias(bias)
    model = fit(data, Parameter(loss=loss, solver=39))
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert (again.solver_name, again.loss, again.rho) == ("BMRM", loss, model.rho)
    assert again.labels.tolist() == [2, 0]
    assert again.weights.tobytes() == model.weights.tobytes()
    assert_array_equal(again.predict(data), model.predict(data))
    if model.rho is not None and bias < 0:
        with pytest.raises(ValueError, match="has a threshold, which LIBLINEAR's model files hold"):
            model.save(tmp_path / "l", liblinear=True)
        return
    model.save(tmp_path / "l", liblinear=True)
    theirs = Model.load(tmp_path / "l")
    assert theirs.rho is None
    scores = model.decision_function(data)
    assert_allclose(theirs.decision_function(data), scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("y", "weights", "choices", "sentence"),
    [
        ([1, 2, 3, 1], None, {}, "take two classes, and there are 3: 1, 2, 3"),
        ([1, 1, 1, 1], None, {}, "all 4 examples have label 1"),
        ([1, 0, 1, 0], [1, 2, 1, 1], {}, "count examples, whose weights must be 1"),
        ([1, 0, 1, 0], None, {"loss": "recall-at-k", "k": 5}, "k is 5, and there are 4 examples"),
    ],
)
def test_data_that_a_measure_refuses(y, weights, choices, sentence):
    data = Problem.from_arrays(np.eye(4), y, weights)
    with pytest.raises(ValueError, match=sentence):
        fit(data, Parameter(**{"loss": "f1"} | choices))


@pytest.mark.parametrize("loss", MEASURES)
def test_the_commands(tmp_path, monkeypatch, capsys, problem, loss):
    monkeypatch.chdir(tmp_path)
    lines = (
        f"{label:g} " + " ".join(f"{j + 1}:{value:.17g}" for j, value in enumerate(row))
        for label, row in zip(problem.labels, problem.rows.values, strict=True)
    )
    (tmp_path / "data").write_text("\n".join(lines) + "\n")
    for solver in ("39", "35"):
        assert run("training", ["-s", solver, "--loss", loss, "-B", "1", "data", "m"]) == 0
        out = capsys.readouterr().out
        assert "the duality gap is within the tolerance" in out
        assert run("prediction", ["data", "m", "out"]) == 0
        said = capsys.readouterr().out.splitlines()
        assert said[0].startswith("Accuracy = ")
        assert set((tmp_path / "out").read_text().split()) <= {"0", "2"}
        title = MEASURE_LOSSES[loss].title
        model = Model.load("m")
        if not title:
            assert (loss, len(said), model.measured(problem, problem.labels)) == (loss, 1, None)
            continue
        name, value = model.measured(problem, problem.labels)
        assert said[1:] == [f"{title} = {100 * value:g}%"]
        assert name == title


@pytest.mark.parametrize(
    ("loss", "numbers", "of_scikit_learn"),
    [
        ("f1", {}, lambda y, scores: metrics.f1_score(y, scores > 0)),
        ("fbeta", {"beta": 3.0}, lambda y, s: metrics.fbeta_score(y, s > 0, beta=3)),
        ("roc-area", {}, metrics.roc_auc_score),
        ("precision-at-k", {"k": 9}, lambda y, scores: y[np.argsort(-scores)[:9]].mean()),
    ],
)
def test_predictions_folds_and_searches_tell_the_measure(
    tmp_path, monkeypatch, capsys, problem, loss, numbers, of_scikit_learn
):
    monkeypatch.chdir(tmp_path)
    write_libsvm("data", problem)
    flags = [text for name, value in numbers.items() for text in (f"--{name}", f"{value:g}")]
    arguments = ["-q", "--loss", loss, *flags, "-B", "1"]
    assert run("training", [*arguments, "data", "m"]) == 0
    assert run("prediction", ["data", "m", "out"]) == 0
    title, model, y = MEASURE_LOSSES[loss].title, Model.load("m"), problem.labels == 2
    value = of_scikit_learn(y, model.decision_function(problem))
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith(f"{title} = ")
    assert float(said[-1].split()[-1][:-1]) == pytest.approx(100 * value, rel=1e-5)
    # scores of held-out examples, each less the threshold of its model
    assert run("training", [*arguments, "-v", "4", "data"]) == 0
    said = capsys.readouterr().out.splitlines()
    scores = cross_validate_scores(problem, select(Parameter(loss=loss, **numbers)), 4)
    share = 100 * np.mean((scores > 0) == y)
    assert said[0] == f"Cross Validation Accuracy = {share:g}%"
    assert said[1].startswith(f"Cross Validation {title} = ")
    value = of_scikit_learn(y, scores)
    assert float(said[1].split()[-1][:-1]) == pytest.approx(100 * value, rel=1e-5)
    assert run("training", [*arguments, "-C", "-v", "3", "data"]) == 0
    assert f"  CV {title} = " in capsys.readouterr().out.splitlines()[-1]


def test_numbers_of_measures_in_model_files(tmp_path, problem):
    model = fit(problem, Parameter(loss="fbeta", beta=2.5))
    model.save(tmp_path / "m")
    text = (tmp_path / "m").read_text()
    assert "\nbeta 2.5\n" in text
    assert Model.load(tmp_path / "m").numbers == {"beta": 2.5}
    fit(problem, Parameter(loss="precision-at-k", k=7)).save(tmp_path / "k")
    assert Model.load(tmp_path / "k").numbers == {"k": 7}
    fit(problem, Parameter(loss="fbeta")).save(tmp_path / "usual")
    assert Model.load(tmp_path / "usual").numbers == {}
    for line, sentence in (
        ("beta -1", "beta is '-1'; it must be above 0"),
        ("beta x", "beta is 'x'; it must be a finite number"),
        ("k 3", "a model of loss fbeta has no k"),
    ):
        (tmp_path / "bad").write_text(text.replace("beta 2.5", line))
        with pytest.raises(ModelFileError, match=sentence):
            Model.load(tmp_path / "bad")
    (tmp_path / "bad").write_text((tmp_path / "k").read_text().replace("\nk 7\n", "\nk 0\n"))
    with pytest.raises(ModelFileError, match="k is '0'; it must be a whole number of at least 1"):
        Model.load(tmp_path / "bad")


@pytest.mark.slow
def test_f1_of_a_hundred_thousand_examples_and_the_roc_area_of_a_million():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((100_000, 20))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(100_000) > 2, 1, 0)
    model = fit(Problem.from_arrays(X, y, bias=1.0), Parameter(loss="f1"))
    result = model.result
    assert result.solved
    assert model.measured(X, y)[1] > 0.7  # its bound is not least at weights of zero
    assert result.cpu_seconds < 60
    X = rng.standard_normal((1_000_000, 2))
    y = np.where(X[:, 0] + rng.standard_normal(1_000_000) > 1, 1, 0)
    result = fit(Problem.from_arrays(X, y), Parameter(loss="roc-area")).result
    assert result.solved
    assert result.cpu_seconds < 60
