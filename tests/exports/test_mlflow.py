"""MLflow's default format keeps every estimator, where its types are named."""

import logging

import numpy as np
import pytest
from every_estimator import EVERY

flavor = pytest.importorskip("mlflow.sklearn")
skops = pytest.importorskip("skops.io")


@pytest.mark.parametrize(("estimator", "X", "y"), EVERY, ids=lambda each: type(each).__name__)
@pytest.mark.filterwarnings("ignore")
def test_estimators_are_kept(estimator, X, y, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setattr(logging.getLogger("mlflow"), "disabled", True)
    kept = estimator.fit(X, *([] if y is None else [y]))
    types = skops.get_untrusted_types(data=skops.dumps(kept))
    needed = ["scikit-learn"]  # else MLflow loads the model in a process to see what it imports
    flavor.save_model(kept, tmp_path / "model", skops_trusted_types=types, pip_requirements=needed)
    found = flavor.load_model(tmp_path / "model")
    for a, b in zip(found.predict(X), kept.predict(X), strict=True):
        np.testing.assert_array_equal(a, b)
