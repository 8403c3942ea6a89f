"""MLflow's default format keeps every estimator, where its types are named."""

import logging

import numpy as np
import pytest
from every_estimator import EVERY, X, names
from scipy.sparse import csr_array

import rrmlinear as rrm

flavor = pytest.importorskip("mlflow.sklearn")
skops = pytest.importorskip("skops.io")


def kept_by_mlflow(kept, folder, monkeypatch):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setattr(logging.getLogger("mlflow"), "disabled", True)
    types = skops.get_untrusted_types(data=skops.dumps(kept))
    needed = ["scikit-learn"]  # else MLflow loads the model in a process to see what it imports
    flavor.save_model(kept, folder, skops_trusted_types=types, pip_requirements=needed)
    return flavor.load_model(folder)


@pytest.mark.parametrize(("estimator", "X", "y"), EVERY, ids=lambda each: type(each).__name__)
@pytest.mark.filterwarnings("ignore")
def test_estimators_are_kept(estimator, X, y, tmp_path, monkeypatch):
    kept = estimator.fit(X, *([] if y is None else [y]))
    found = kept_by_mlflow(kept, tmp_path / "model", monkeypatch)
    for a, b in zip(found.predict(X), kept.predict(X), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.filterwarnings("ignore")
def test_labels_and_matrices_are_kept(tmp_path, monkeypatch):
    labels = rrm.MultilabelClassifier(C=10.0).fit(X, [["all", each] for each in names])
    found = kept_by_mlflow(labels, tmp_path / "labels", monkeypatch)
    assert found.predict(X) == labels.predict(X)
    matrix = rrm.MatrixCompletion().fit(csr_array(X))
    found = kept_by_mlflow(matrix, tmp_path / "matrix", monkeypatch)
    np.testing.assert_array_equal(found.predict([0, 1], [2, 3]), matrix.predict([0, 1], [2, 3]))
