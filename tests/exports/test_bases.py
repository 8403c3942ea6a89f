"""Kernels, stumps and sequences leave the package: ONNX files and pipelines of scikit-learn."""

import json

import numpy as np
import pytest
from every_estimator import X, index, names, numbers, sequences, truth
from onnx_outputs import ROWS, assert_near, outputs_of, written
from scipy.sparse import csr_array
from sklearn.base import is_classifier
from sklearn.tree import DecisionTreeClassifier

import rrmlinear as rrm

KERNELS = [
    rrm.KernelClassifier(kernel="rbf", kernel_params={"gamma": 0.3}),
    rrm.KernelClassifier("logistic", kernel="poly", kernel_params={"degree": 2, "coef0": 0.5}),
    rrm.KernelClassifier("softmax", kernel="laplacian"),
    rrm.KernelClassifier(kernel=["rbf", "linear"], kernel_params=[{"gamma": 0.1}, None]),
    rrm.KernelClassifier("squared-hinge", n_components=20),
    rrm.KernelRegressor(kernel="linear"),
    rrm.KernelRegressor("squared", kernel="rbf"),
]
KINDS = pytest.mark.parametrize("dtype", ["float32", "float64"])


def trained(model, y=None):
    return model.fit(X, y if y is not None else names if is_classifier(model) else numbers)


def assert_predicts(found, model, rows):
    if not is_classifier(model):
        assert_near(found["variable"].ravel(), model.predict(rows))
        return
    scores = model.decision_function(rows)
    assert_near(found["scores"], scores)
    gap = np.abs(scores) if scores.ndim == 1 else np.diff(np.sort(scores, axis=1))[:, -1]
    sure = gap > 1e-4
    np.testing.assert_array_equal(found["label"][sure], model.predict(rows)[sure])
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        assert_near(found["probabilities"], model.predict_proba(rows))


@KINDS
@pytest.mark.parametrize("model", KERNELS)
@pytest.mark.parametrize("labels", [None, truth])
def test_kernels_in_onnx(model, labels, dtype, tmp_path):
    model = trained(model, labels if is_classifier(model) else None)
    assert_predicts(written(model, tmp_path, dtype), model, ROWS)


def test_squared_distances_that_round_below_0(tmp_path):
    model = trained(rrm.KernelRegressor(kernel="rbf", kernel_params={"gamma": 1e12}))
    model.to_onnx(tmp_path / "m")
    assert np.isfinite(outputs_of(tmp_path / "m", X)["variable"]).all()


@pytest.mark.parametrize("model", KERNELS)
@pytest.mark.parametrize("labels", [None, truth])
def test_kernels_in_scikit_learn(model, labels):
    model = trained(model, labels if is_classifier(model) else None)
    twin = model.to_sklearn()
    assert type(twin).__module__ == "sklearn.pipeline"
    if is_classifier(model):
        np.testing.assert_array_equal(twin.classes_, model.classes_)
        found, expected = twin.decision_function(ROWS), model.decision_function(ROWS)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_allclose(twin.predict(ROWS), model.predict(ROWS), rtol=1e-9)


def test_a_precomputed_kernel_takes_its_rows(tmp_path):
    model = rrm.KernelClassifier(kernel="precomputed", n_components=30).fit(X @ X.T, names)
    rows = ROWS @ X.T
    model.to_onnx(tmp_path / "model.onnx")
    assert_predicts(outputs_of(tmp_path / "model.onnx", rows), model, rows)
    found = model.to_sklearn().decision_function(rows)
    np.testing.assert_allclose(found, model.decision_function(rows), rtol=1e-9, atol=1e-9)


def test_kernels_of_sparse_points_and_of_functions(tmp_path):
    model = rrm.KernelClassifier().fit(csr_array(X), names)
    assert_predicts(written(model, tmp_path), model, ROWS)
    model = rrm.KernelClassifier(
        kernel=lambda A, B, power: (A @ B.T) ** power, kernel_params={"power": 2}
    )
    model = trained(model)
    found = model.to_sklearn().decision_function(ROWS)
    np.testing.assert_allclose(found, model.decision_function(ROWS), rtol=1e-9, atol=1e-9)
    with pytest.raises(
        ValueError, match=r"kernel is <function .*, which ONNX has no operators for"
    ):
        model.to_onnx(tmp_path / "model.onnx")


@KINDS
@pytest.mark.filterwarnings("ignore:no ensemble has a soft margin")
@pytest.mark.parametrize("hypotheses", ["stumps", "columns"])
@pytest.mark.parametrize("labels", [index, truth])
def test_ensembles_in_onnx(hypotheses, labels, dtype, tmp_path):
    model = rrm.ERLPBoostClassifier(hypotheses).fit(X, labels)
    assert_predicts(written(model, tmp_path, dtype), model, ROWS.astype(dtype))


def test_thresholds_are_kept_in_single_precision(tmp_path):
    rows = np.repeat([[1.0], [np.nextafter(np.float32(1.0), np.float32(2.0))]], 10, axis=0)
    model = rrm.ERLPBoostClassifier().fit(rows, rows[:, 0] > 1.0)
    model.to_onnx(tmp_path / "model.onnx")
    found = outputs_of(tmp_path / "model.onnx", rows)["label"]
    np.testing.assert_array_equal(found, model.predict(rows))


@pytest.mark.filterwarnings("ignore:no ensemble has a soft margin")
def test_what_ensembles_cannot_is_said(tmp_path):
    model = rrm.ERLPBoostClassifier().fit(X, names)
    with pytest.raises(ValueError, match="no ensemble of stumps with weights; to_onnx writes it"):
        model.to_sklearn()
    twin = rrm.ERLPBoostClassifier("columns").fit(X, names).to_sklearn()
    assert type(twin).__module__.startswith("sklearn.")
    model = rrm.ERLPBoostClassifier(DecisionTreeClassifier(max_depth=2)).fit(X, names)
    with pytest.raises(ValueError, match="only ensembles of 'stumps' and of 'columns' leave"):
        model.to_onnx(tmp_path / "model.onnx")


@pytest.mark.parametrize("kind", [rrm.ChainCRF, rrm.ChainSVM])
def test_scores_of_positions(kind, tmp_path):
    onnx = pytest.importorskip("onnx")
    model = kind().fit(*sequences)
    path = tmp_path / "model.onnx"
    model.to_onnx(path)
    facts = {each.key: json.loads(each.value) for each in onnx.load(path).metadata_props}
    steps, rows = np.array(facts["transitions"]), sequences[0][0]
    best, came = outputs_of(path, rows)["variable"], []
    total = best[0]
    for scores in best[1:]:
        came.append((total[:, np.newaxis] + steps).argmax(axis=0))
        total = (total[:, np.newaxis] + steps).max(axis=0) + scores
    labels = [int(total.argmax())]
    for each in reversed(came):
        labels.insert(0, int(each[labels[0]]))
    found = [facts["labels"][each] for each in labels]
    assert found == model.predict([rows])[0].tolist()


def test_features_of_edges_are_refused(tmp_path):
    edges = [(rows, rows[1:]) for rows in sequences[0]]
    with pytest.raises(ValueError, match="features of edges, which an ONNX file does not tell"):
        rrm.ChainCRF().fit(edges, sequences[1]).to_onnx(tmp_path / "model.onnx")
