"""ONNX files predict what the models predict, with onnxruntime and with skl2onnx's pipelines."""

import numpy as np
import pytest
from every_estimator import X, index, names, numbers, truth, two
from linear_models import CLASSIFIERS, LABELLERS, REGRESSIONS, fitted
from onnx_outputs import ROWS, assert_near, outputs_of, written
from scipy.sparse import issparse

import rrmlinear as rrm
from rrmlinear import Parameter, Problem, fit

KINDS = pytest.mark.parametrize("dtype", ["float32", "float64"])


def labels_of(model):
    """What is predicted of the rows, several labels as a matrix."""
    found = model.predict(ROWS)
    if isinstance(found, list):
        known = model.classes_.tolist()
        return [[int(name in some) for name in known] for some in found]
    return found.toarray() if issparse(found) else found


@KINDS
@pytest.mark.parametrize(("model", "y"), [*CLASSIFIERS, *LABELLERS])
def test_classifiers(model, y, dtype, tmp_path):
    model = fitted(model, y)
    found = written(model, tmp_path, dtype)
    np.testing.assert_array_equal(found["label"], labels_of(model))
    scores = model.decision_function(ROWS)
    assert found["scores"].shape == scores.shape
    assert_near(found["scores"], scores)
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        assert_near(found["probabilities"], model.predict_proba(ROWS))


@KINDS
@pytest.mark.parametrize(("model", "y"), REGRESSIONS)
def test_regressions(model, y, dtype, tmp_path):
    model = fitted(model, y)
    expected = model.predict(ROWS)
    assert_near(written(model, tmp_path, dtype)["variable"], expected.reshape(len(ROWS), -1))


def test_inliers(tmp_path):
    model = rrm.OneClassSVM(nu=0.3).fit(X + 2)
    found = written(model, tmp_path)
    np.testing.assert_array_equal(found["label"], model.predict(ROWS))
    assert_near(found["scores"], model.decision_function(ROWS))


@pytest.mark.parametrize(
    "choices",
    [{"solver": s} for s in (0, 1, 3, 4, 7, 30)]
    + [{"solver": "auto", "loss": "softmax"}, {"solver": "auto", "loss": "weston-watkins"}],
)
@pytest.mark.parametrize("labels", [index + 1, 5 - 3 * truth])
@pytest.mark.parametrize("bias", [-1.0, 2.0])
def test_models(choices, labels, bias, tmp_path):
    model = fit(Problem.from_arrays(X, labels, bias=bias), Parameter(**choices))
    found = written(model, tmp_path)
    np.testing.assert_array_equal(found["label"], model.predict(ROWS))
    if model.link:
        order = np.argsort(model.labels)
        assert_near(found["probabilities"], model.predict_proba(ROWS)[:, order])


def test_models_of_numbers(tmp_path):
    model = fit(Problem.from_arrays(X, numbers, bias=1.0), Parameter(solver=11))
    assert_near(written(model, tmp_path)["variable"][:, 0], model.predict(ROWS))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_files_are_as_large_as_their_weights(tmp_path):
    rng = np.random.default_rng(0)
    model = rrm.WestonWatkinsSVC(max_iter=1).fit(rng.normal(size=(60, 500)), np.arange(60) % 20)
    model.to_onnx(tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").stat().st_size <= 1.1 * 4 * model.coef_.size


def test_what_cannot_be_written_is_said(tmp_path):
    model = rrm.LinearSVC().fit(X, names)
    with pytest.raises(ValueError, match="dtype is 'int8'; it must be one of float32, float64"):
        model.to_onnx(tmp_path / "model.onnx", dtype="int8")
    assert not (tmp_path / "model.onnx").exists()


def test_feature_names_and_labels_are_in_the_file(tmp_path):
    onnx, pandas = pytest.importorskip("onnx"), pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("pqrs"))
    model = rrm.MultilabelClassifier().fit(frame, [[each, "all"] for each in names])
    model.to_onnx(tmp_path / "model.onnx")
    props = onnx.load(tmp_path / "model.onnx").metadata_props
    found = {each.key: each.value for each in props}
    assert found == {"features": '["p", "q", "r", "s"]', "labels": '["a", "all", "b", "c"]'}


@pytest.mark.parametrize(("model", "y"), [*CLASSIFIERS, *REGRESSIONS, *LABELLERS])
def test_pipelines_by_skl2onnx(model, y):
    skl2onnx = pytest.importorskip("skl2onnx")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rrm.register_skl2onnx()
    model = make_pipeline(StandardScaler(), model).fit(X, y)
    plain = {"zipmap": False} if hasattr(model, "classes_") else {}
    options = {id(model[-1]): plain} if plain else None
    made = skl2onnx.to_onnx(model, X[:1].astype(np.float32), options=options)
    found = list(outputs_of(made.SerializeToString(), ROWS).values())
    if not plain:
        assert_near(found[0], model.predict(ROWS).reshape(len(ROWS), -1))
        return
    np.testing.assert_array_equal(found[0], labels_of(model))
    if hasattr(model, "predict_proba"):
        assert_near(found[1], model.predict_proba(ROWS))
    else:
        scores = model.decision_function(ROWS)
        scores = scores if scores.ndim == 2 else np.column_stack([-scores, scores])
        assert_near(found[1], scores)


def test_dictionaries_of_skl2onnx():
    skl2onnx = pytest.importorskip("skl2onnx")
    rrm.register_skl2onnx()
    model = rrm.LogisticRegression().fit(X, names)
    made = skl2onnx.to_onnx(model, X[:1].astype(np.float32))
    _, found = outputs_of(made.SerializeToString(), ROWS).values()
    assert_near([[row[name] for name in "abc"] for row in found], model.predict_proba(ROWS))


def test_several_targets_of_ridge(tmp_path):
    model = rrm.Ridge().fit(X, two)
    assert_near(written(model, tmp_path)["variable"], model.predict(ROWS))
