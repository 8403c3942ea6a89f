"""Answers of LIBLINEAR's own Python module, where that is installed."""

import numpy as np
import pytest

from rrmlinear import liblinearutil as ours

theirs = pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is absent")

rng = np.random.default_rng(8)
X = np.round(rng.standard_normal((120, 5)), 3)
TARGETS = {
    "two": np.where(X[:, 0] + 0.5 * rng.standard_normal(120) > 0, 1.0, -1.0),
    "three": (X @ rng.standard_normal((5, 3))).argmax(axis=1) + 1.0,
    "reals": X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(120),
}
RUNS = [
    *((s, "two") for s in (0, 1, 2, 4, 5, 6, 7)),
    *((s, "three") for s in (0, 1, 2, 4, 5, 6, 7)),
    *((s, "reals") for s in (11, 12)),
]


@pytest.mark.parametrize(("number", "target"), RUNS)
@pytest.mark.parametrize("options", ["", "-B 1 -c 0.1 -w1 2"])
def test_weights_labels_and_scores(number, target, options, tmp_path):
    if target == "reals":
        options = options.removesuffix("-w1 2")
    y = TARGETS[target]
    tolerance, given = 2e-4, f"-q -s {number} {options} -e 1e-7"
    old, new = (side.train(y, X, given) for side in (theirs, ours))
    assert new.get_labels() == (old.get_labels() if target != "reals" else [])
    assert new.get_nr_class() == old.get_nr_class()
    assert new.is_probability_model() == old.is_probability_model()
    for k in range(new.get_nr_class()):
        (w, b), (v, a) = new.get_decfun(k), old.get_decfun(k)
        np.testing.assert_allclose([*w, b], [*v, a], atol=tolerance)
    (labels, metrics, values), (labels2, metrics2, values2) = (
        side.predict(y, X, model, "-q") for side, model in ((ours, new), (theirs, old))
    )
    np.testing.assert_allclose(labels, labels2, atol=5 * tolerance)
    np.testing.assert_allclose(metrics, metrics2, rtol=1e-2, atol=5 * tolerance, equal_nan=True)
    if not (number == 4 and target == "two"):  # theirs writes two values into the place of one
        np.testing.assert_allclose(values, values2, atol=10 * tolerance)
    if new.is_probability_model():
        chances, chances2 = (
            side.predict(y, X, model, "-q -b 1")[2] for side, model in ((ours, new), (theirs, old))
        )
        np.testing.assert_allclose(chances, chances2, atol=1e-3)
    ours.save_model(tmp_path / "new", new)
    read = theirs.load_model(str(tmp_path / "new"))
    assert theirs.predict(y, X, read, "-q")[0] == pytest.approx(labels)
    theirs.save_model(str(tmp_path / "old"), old)
    read = ours.load_model(tmp_path / "old")
    assert ours.predict(y, X, read, "-q")[0] == pytest.approx(labels2)


def objective(number, y, model, C):
    """Of types 3 and 13, whose solver in LIBLINEAR stops after 300 passes: far from the minimum."""
    total = 0.0
    for k in range(1 if model.get_nr_class() == 2 else model.get_nr_class()):
        w, b = model.get_decfun(k)
        scores = X @ np.array(w) + b
        if number == 13:
            losses = np.maximum(0, abs(scores - y) - 0.1)
        else:
            losses = np.maximum(0, 1 - np.where(y == model.get_labels()[k], scores, -scores))
        total += (np.dot(w, w) + b * b) / 2 + C * losses.sum()
    return total


@pytest.mark.parametrize(("number", "target"), [(3, "two"), (3, "three"), (13, "reals")])
def test_objectives_are_no_larger(number, target):
    y = TARGETS[target]
    old, new = (side.train(y, X, f"-q -s {number} -B 1 -c 3 -e 1e-6") for side in (theirs, ours))
    best, other = (objective(number, y, model, 3.0) for model in (new, old))
    assert best == pytest.approx(new.fitted.result.primal)
    assert best <= other * (1 + 1e-6)


def test_outliers():
    given = "-q -s 21 -n 0.3 -e 1e-8"
    old, new = (side.train(np.ones(120), X + 2, given) for side in (theirs, ours))
    (w, b), (v, a) = new.get_decfun(), old.get_decfun()
    np.testing.assert_allclose([*w, b], [*v, a], rtol=1e-3)


@pytest.mark.parametrize("name", ["two", "reals"])
def test_evaluations(name):
    y = TARGETS[name]
    predicted = np.where(rng.random(120) < 0.2, -y, y)
    assert ours.evaluations(y, predicted) == pytest.approx(theirs.evaluations(y, predicted))
    lists = [list(y), list(predicted)]
    assert ours.evaluations(*lists) == pytest.approx(theirs.evaluations(*lists))
    assert {type(each) for each in ours.evaluations(*lists)} == {float}


def test_searches_find_a_score_as_good():
    y = TARGETS["two"]
    _, _, rate = ours.train(y, X, "-q -C -s 0")
    _, _, old_rate = theirs.train(y, X, "-q -C -s 0")
    assert rate == pytest.approx(old_rate, abs=0.05)


def test_names_of_solver_types():
    assert {row.name: int(row) for row in ours.solver_names} == {
        row.name: int(row) for row in theirs.solver_names
    }


@pytest.mark.parametrize("given", ["", "-s 0 -c 4 -v 3", "-C", "-s 11 -p 0.2 -w1 2 -w3 1"])
def test_flags_of_options(given):
    new, old = ours.parameter(given), theirs.parameter(given)
    names = ["solver_type", "C", "bias", "nr_weight"]
    flags = ["cross_validation", "C_specified", "p_specified", "find_parameters"]
    names += [f"flag_{name}" for name in flags]
    assert [getattr(new, name) for name in names] == [getattr(old, name) for name in names]
    assert new.flag_solver_specified == ("-s" in given)


@pytest.mark.parametrize("target", ["two", "three", "reals"])
def test_attributes_of_models(target, tmp_path):
    y, number = TARGETS[target], 11 if target == "reals" else 2
    old, new = (side.train(y, X, f"-q -s {number} -e 1e-8") for side in (theirs, ours))
    ours.save_model(tmp_path / "new", new)
    for model in (new, ours.load_model(tmp_path / "new")):
        assert (model.nr_class, model.nr_feature) == (old.nr_class, old.nr_feature)
        assert model.param.solver_type == old.param.solver_type == number
        if target != "reals":
            assert model.label == old.label[: old.nr_class]
        np.testing.assert_allclose(model.w, old.w[: len(model.w)], atol=1e-4)
