"""The examples of LIBLINEAR's Python README, with the import line changed and nothing else."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_breast_cancer

from rrmlinear import Parameter, Problem, fit, read_libsvm, write_libsvm
from rrmlinear.liblinearutil import *  # noqa: F403  (as the examples have it)
from rrmlinear.liblinearutil import (
    csr_find_scale_param,
    csr_scale,
    evaluations,
    load_model,
    parameter,
    predict,
    problem,
    save_model,
    svm_read_problem,
    train,
)


@pytest.fixture(scope="module")
def heart_scale(tmp_path_factory):
    """A file of 270 examples with two classes, as the README's is."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) * 2 - 1
    path = tmp_path_factory.mktemp("liblinearutil") / "heart_scale"
    sparse = scipy.sparse.csr_array(X[:270])
    write_libsvm(path, Problem.from_arrays(sparse, 2.0 * y[:270] - 1))
    return path


def test_quick_start(heart_scale, tmp_path, capsys):
    y, x = svm_read_problem(heart_scale)
    m = train(y[:200], x[:200], "-c 4")
    pred_labels, pred_metrics, pred_values = predict(y[200:], x[200:], m)
    assert len(pred_labels) == len(pred_values) == 70
    assert pred_metrics[0] > 90
    assert "(classification)" in capsys.readouterr().out

    y, x = [1, -1], [{1: 1, 3: 1}, {1: -1, 3: -1}]
    prob = problem(y, x)
    param = parameter("-s 0 -c 4 -B 1")
    m = train(prob, param)
    save_model(tmp_path / "heart_scale.model", m)
    m = load_model(tmp_path / "heart_scale.model")
    pred_labels, pred_metrics, pred_values = predict(y, x, m, "-b 1")
    assert pred_labels == [1, -1]
    assert np.sum(pred_values, axis=1) == pytest.approx([1, 1])
    assert evaluations(y, pred_labels) == (100.0, 0.0, 1.0)


def test_dense_lists_are_the_same_problem():
    dense = train([1, -1], [[1, 0, 1], [-1, 0, -1]], "-q -e 1e-8")
    sparse = train([1, -1], [{1: 1, 3: 1}, {1: -1, 3: -1}], "-q -e 1e-8")
    assert dense.get_decfun() == sparse.get_decfun()


def test_quick_start_with_scipy(heart_scale):
    y, x = svm_read_problem(heart_scale, return_scipy=True)
    m = train(y[:200], x[:200, :], "-c 4")
    _, pred_metrics, _ = predict(y[200:], x[200:, :], m)
    assert pred_metrics[0] > 90
    y, x = np.asarray([1, -1]), np.asarray([[1, 0, 1], [-1, 0, -1]])
    dense = train(problem(y, x), parameter("-s 0 -c 4 -B 1"))
    x = scipy.sparse.csr_matrix(([1, 1, -1, -1], ([0, 0, 1, 1], [0, 2, 0, 2])))
    sparse = train(problem(y, x), parameter("-s 0 -c 4 -B 1"))
    assert dense.get_decfun() == sparse.get_decfun()


def test_scaling(heart_scale):
    _, x = svm_read_problem(heart_scale, return_scipy=True)
    for lower in (0, -1):
        scaled = csr_scale(x, csr_find_scale_param(x, lower=lower)).toarray()
        assert scaled.min(axis=0) == pytest.approx(np.full(x.shape[1], lower))
        assert scaled.max(axis=0) == pytest.approx(np.ones(x.shape[1]))


def test_training_in_all_its_forms(heart_scale, capsys):
    y, x = svm_read_problem(heart_scale)
    prob = problem(y, x)
    param = parameter("-s 3 -c 5 -q")
    train(y, x, "-c 5")
    train(prob, "-w1 5 -c 5")
    capsys.readouterr()
    train(prob, param)
    assert capsys.readouterr().out == ""
    CV_ACC = train(y, x, "-v 3")
    assert 90 < CV_ACC <= 100
    assert f"Cross Validation Accuracy = {CV_ACC:g}%" in capsys.readouterr().out
    best_C, best_p, best_rate = train(y, x, "-C -s 0")
    assert best_p == -1
    assert 0.9 < best_rate <= 1
    assert f"Best C = {best_C:g}" in capsys.readouterr().out
    m = train(y, x, f"-c {best_C} -s 0")
    assert m.is_probability_model()


def test_a_measure_is_printed_beside_the_accuracy(heart_scale, tmp_path, capsys):
    examples = read_libsvm(heart_scale)
    fit(examples, Parameter(loss="f1", gap_tol=0.1)).save(tmp_path / "model")
    m, (y, x) = load_model(tmp_path / "model"), svm_read_problem(heart_scale)
    labels, (accuracy, _, _), _ = predict(y, x, m)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"Accuracy = {accuracy:g}%")
    found, true = np.array(labels) == 1, np.array(y) == 1
    f1 = 200 * np.count_nonzero(found & true) / (found.sum() + true.sum())
    assert second == f"F1 = {f1:g}%"
    predict([], x, m)
    assert "F1" not in capsys.readouterr().out


def test_attributes_may_be_set_later(heart_scale):
    y, x = svm_read_problem(heart_scale)
    param = parameter()
    param.solver_type = 1
    param.C = 4
    later = train(problem(y, x), param)
    assert later.get_decfun() == train(y, x, "-s 1 -c 4").get_decfun()
    assert "solver_type: 1" in str(param)


def test_problems_copied_share_examples(heart_scale):
    y, x = svm_read_problem(heart_scale)
    first = problem(y, x)
    other = first.copy()
    other.y = [-label for label in y]
    assert list(first.y) == y
    weights = [train(prob, "-s 0 -q").get_decfun()[0] for prob in (first, other)]
    assert weights[0] == pytest.approx([-w for w in weights[1]], abs=1e-2)
