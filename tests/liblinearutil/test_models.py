"""Methods of models, and what is refused."""

import math

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit, liblinearutil
from rrmlinear.liblinearutil import load_model, parameter, predict, problem, save_model, train

rng = np.random.default_rng(5)
X = rng.standard_normal((90, 4))
CLASSES = (X @ rng.standard_normal((4, 3))).argmax(axis=1) + 1.0
TWO = np.where(CLASSES == 1, 1.0, -1.0)
REALS = X @ np.array([1.0, -2.0, 0.0, 0.5]) + 0.1


def test_two_classes():
    m = train(TWO, X, "-q -B 2")
    assert (m.get_nr_feature(), m.get_nr_class()) == (4, 2)
    assert sorted(m.get_labels()) == [-1, 1]
    w, b = m.get_decfun()
    assert w == [m.get_decfun_coef(at) for at in (1, 2, 3, 4)]
    assert b == m.get_decfun_bias() == 2 * m.fitted.weights[4, 0]
    assert m.get_decfun(1) == ([-each for each in w], -b)
    labels, _, values = predict([], X, m, "-q")
    assert np.ravel(values) == pytest.approx(X @ np.array(w) + b)
    assert labels == [m.get_labels()[0 if value > 0 else 1] for value in np.ravel(values)]


@pytest.mark.parametrize("options", ["-s 4", "-s 2", "-s 30"])
def test_three_classes(options):
    m = train(CLASSES, X, f"-q {options} -B 1")
    found = [m.get_decfun(k) for k in range(3)]
    scores = np.stack([X @ np.array(w) + b for w, b in found], axis=1)
    labels, (accuracy, _, _), values = predict(CLASSES, X, m, "-q")
    np.testing.assert_allclose(values, scores, atol=1e-12)
    assert labels == [m.get_labels()[k] for k in scores.argmax(axis=1)]
    assert accuracy == 100 * np.mean(np.array(labels) == CLASSES)
    assert math.isnan(m.get_decfun_coef(1, 3))
    assert math.isnan(m.get_decfun_bias(-1))
    assert m.get_decfun_coef(5) == m.get_decfun_coef(0) == 0
    assert not m.is_probability_model()
    with pytest.raises(TypeError, match="only supported for logistic regression"):
        predict(CLASSES, X, m, "-b 1")


@pytest.mark.parametrize("kind", [11, 12, 13])
def test_regressions(kind, capsys):
    m = train(REALS, X, f"-q -s {kind} -p 0.01 -c 10 -B 1")
    assert m.is_regression_model()
    assert m.get_nr_class() == 2
    assert m.get_decfun_coef(1, 7) == m.get_decfun_coef(1)
    labels, (_, error, correlation), values = predict(REALS, X, m)
    assert np.ravel(values).tolist() == labels
    assert error == pytest.approx(np.mean((np.array(labels) - REALS) ** 2))
    assert correlation > 0.99
    assert "Squared correlation coefficient" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [0, 1, 4, 6])
def test_a_single_class(kind):
    m = train(np.full(90, 7), X, f"-q -s {kind} -B 1")
    assert (m.get_nr_class(), m.get_labels()) == (1, [7])
    labels, (accuracy, _, _), values = predict(np.full(90, 7), X, m, "-q")
    assert labels == [7.0] * 90
    assert accuracy == 100
    w, b = m.get_decfun()
    assert np.ravel(values) == pytest.approx(X @ np.array(w) + b)


def test_outliers(tmp_path):
    m = train(np.ones(90), X + 3, "-q -s 21 -n 0.2")
    assert m.is_oneclass_model()
    w, b = m.get_decfun()
    assert b == -m.get_decfun_rho()
    labels, _, values = predict([], X + 3, m, "-q")
    assert np.ravel(values) == pytest.approx((X + 3) @ np.array(w) + b)
    assert set(labels) == {1.0, -1.0}
    assert 0.1 < np.mean(np.array(labels) == -1) < 0.3
    save_model(tmp_path / "one", m)
    assert load_model(tmp_path / "one").get_decfun() == (w, b)
    with pytest.raises(ValueError, match="get_decfun_rho"):
        m.get_decfun_bias()


def test_a_model_file_that_is_not_there(tmp_path, capsys):
    assert load_model(tmp_path / "none") is None
    assert capsys.readouterr().out == f"can't open model file {tmp_path / 'none'}\n"


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: parameter("-z 1"), ValueError, "unknown option '-z'; there are -q"),
        (lambda: parameter("-c"), ValueError, "-c needs a value"),
        (lambda: parameter("-c x"), ValueError, "-c takes a number, not 'x'"),
        (lambda: parameter("-s 1.5"), ValueError, "unknown solver type 1.5; there are 0"),
        (lambda: parameter("-v 1"), ValueError, "at least 2 folds, not 1"),
        (lambda: parameter(3), TypeError, "a str or a list, not int"),
        (lambda: train(TWO, X, "-s 9"), ValueError, "unknown solver type 9"),
        (lambda: train(TWO, X, "-c -1"), ValueError, "C is -1.0"),
        (lambda: train(TWO, X[:5]), ValueError, "len.y. != len.x.: they are 90 and 5"),
        (lambda: train(TWO, "file"), TypeError, "type of x"),
        (lambda: train("file"), TypeError, "first argument is a problem or labels, not str"),
        (lambda: problem([1], [{0: 1.0}]), ValueError, "example 0 has the index 0, below 1"),
        (lambda: problem([1], [{1.5: 1}]), TypeError, "example 0 has the index 1.5; indices are"),
        (lambda: problem([1, 2], [{1: 1}, {"a": 1}]), TypeError, "1 has the index 'a'"),
        (lambda: problem([1], [{1: "a"}]), ValueError, "values of x must be numbers: text is not"),
        (lambda: save_model("m", None), TypeError, "a model of train or load_model, not NoneType"),
        (lambda: problem([1], [3]), TypeError, "xi should be"),
        (lambda: predict([], X, train(TWO, X, "-q"), "-x"), ValueError, "unknown option '-x'"),
        (lambda: liblinearutil.evaluations([1], [1, 2]), ValueError, "they are 1 and 2"),
    ],
)
def test_what_is_refused(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call()


def test_options_that_have_no_effect_with_liblinears_types_are_passed_over():
    plain = train(TWO, X, "-q -s 1").get_decfun()
    assert train(TWO, X, "-q -s 1 -p 0.3 -n 0.7").get_decfun() == plain
    with pytest.raises(ValueError, match="nu has no effect"):
        train(TWO, X, "-s 32 -n 0.7")


def test_a_solver_type_by_its_name(tmp_path):
    assert parameter("-s mcsvm_ww").solver_type == 30
    fitted = fit(Problem.from_arrays(X, TWO), Parameter(solver="auto", loss="squared-hinge"))
    fitted.save(tmp_path / "auto")
    assert load_model(tmp_path / "auto").param.solver_type == "auto"
    with pytest.raises(ValueError, match="unknown solver type walrus; there are 0"):
        parameter("-s walrus")
