"""Estimators and models that others keep: pickle, and skops, which reads plain types alone."""

import copy
import io
import pickle
import tempfile

import numpy as np
import pytest
from every_estimator import EVERY, X, index, names, sequences
from scipy.sparse import csr_array, issparse

import rrmlinear as rrm
from rrmlinear import Parameter, Problem, SequenceProblem, fit, fit_sequences
from rrmlinear.estimators.base import Certified


def by_skops(kept):
    skops = pytest.importorskip("skops.io")
    written = skops.dumps(kept)
    trusted = skops.get_untrusted_types(data=written)
    own = [name for name in trusted if name.startswith("rrmlinear")]
    assert own == [f"{type(kept).__module__}.{type(kept).__qualname__}"]
    return skops.loads(written, trusted=trusted)


def by_joblib(kept):
    joblib = pytest.importorskip("joblib")
    file = io.BytesIO()
    joblib.dump(kept, file)
    file.seek(0)
    return joblib.load(file)


def by_file(kept):
    if not hasattr(kept, "get_params"):
        pytest.skip("models have files of their own")
    trees = any(type(each).__module__.startswith("sklearn.") for each in vars(kept).values())
    trusted = ["sklearn.tree._tree.Tree"] if trees else []
    if trees:
        pytest.importorskip("skops")
    with tempfile.TemporaryDirectory() as folder:
        kept.save(f"{folder}/kept")
        return type(kept).load(f"{folder}/kept", trusted=trusted)


EVERY_WAY = lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, by_joblib, by_skops, by_file
WAYS = pytest.mark.parametrize("way", EVERY_WAY)


def assert_same(found, kept):
    """Equal in all that they hold."""
    if isinstance(kept, np.ndarray) or issparse(kept):
        dense = [each.toarray() if issparse(each) else each for each in (found, kept)]
        np.testing.assert_array_equal(*dense)
        assert found.dtype == kept.dtype
    elif isinstance(kept, list | tuple):
        assert type(found) is type(kept)
        assert len(found) == len(kept)
        for a, b in zip(found, kept, strict=True):
            assert_same(a, b)
    elif hasattr(kept, "keys"):
        assert list(found) == list(kept)
        for key in kept:
            assert_same(found[key], kept[key])
    elif type(kept).__module__.startswith("rrmlinear.") and not hasattr(kept, "name"):
        assert type(found) is type(kept)
        assert_same(vars(found), vars(kept))
    elif type(kept).__module__.startswith("sklearn."):
        assert type(found) is type(kept)
    else:
        assert found == kept or found != found  # NaN


@pytest.mark.parametrize(("estimator", "X", "y"), EVERY, ids=lambda each: type(each).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimators_are_kept(estimator, X, y, tmp_path):
    kept = copy.deepcopy(estimator).fit(X, *([] if y is None else [y]))
    for way in EVERY_WAY:
        assert_same(way(estimator).get_params(), estimator.get_params())
        found = way(kept)
        assert_same(vars(found), vars(kept))
        assert_same(found.predict(X), kept.predict(X))
        assert found.status_ is kept.status_
    found.report(tmp_path / "report.html")
    found.fit(X, *([] if y is None else [y]))


def test_every_estimator_is_kept():
    known = {type(estimator).__name__ for estimator, *_ in EVERY}
    public = {name for name in dir(rrm) if isinstance(getattr(rrm, name), type)}
    every = {name for name in public if issubclass(getattr(rrm, name), Certified)}
    assert every == {*known, "MatrixCompletion"}


@WAYS
def test_matrix_completion_is_kept(way):
    kept = rrm.MatrixCompletion().fit(csr_array(X))
    found = way(kept)
    assert_same(vars(found), vars(kept))
    assert_same(found.predict([0, 1], [2, 3]), kept.predict([0, 1], [2, 3]))


@WAYS
@pytest.mark.parametrize("asked", [rrm.MultilabelClassifier(C=10.0), rrm.LabelTreeClassifier()])
def test_multilabel_classifiers_are_kept(way, asked):
    kept = copy.deepcopy(asked).fit(X, [["all", each] for each in names])
    found = way(kept)
    assert_same(vars(found), vars(kept))
    assert_same(found.predict(X), kept.predict(X))


@WAYS
def test_models_and_parameters_are_kept(way):
    parameter = Parameter(solver="auto", loss="hinge", class_weights={1: 2.0, 2: 0.5})
    assert way(parameter) == parameter
    problem = Problem.from_arrays(X, index + 1)
    for choices in (parameter, Parameter(C=0.1), Parameter(solver=30)):
        model = fit(problem, choices)
        found = way(model)
        assert_same(vars(found), vars(model))
        assert_same(found.predict(problem), model.predict(problem))
        assert found.result.solved
        assert found.parameter == model.parameter
    lists = SequenceProblem.from_lists(*sequences)
    chains = fit_sequences(lists, Parameter(solver="auto", loss="crf"))
    assert_same(way(chains).predict(lists), chains.predict(lists))
