"""Our benchmark and solvers for benchopt, run by benchopt itself on tiny data."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rrmlinear

pytest.importorskip("benchopt", reason="needs benchopt")
TOP = Path(__file__).resolve().parents[3]
OURS = TOP / "tools" / "bench" / "benchopt"

#: Objectives of benchopt's own benchmarks: what they give a solver, and the value at its result.
OTHERS = {
    "lasso": (
        '{"X": self.X, "y": self.y, "lmbd": 3.0, "fit_intercept": True}',
        "beta",
        "0.5 * ((self.y - self.X @ beta[:-1] - beta[-1]) ** 2).sum() + 3 * abs(beta[:-1]).sum()",
    ),
    "logistic": (
        '{"X": self.X, "y": np.sign(self.y), "lmbd": 0.1, "fit_intercept": True}',
        "beta",
        "np.logaddexp(0, -np.sign(self.y) * (self.X @ beta[:-1] + beta[-1])).sum()"
        " + 0.05 * beta[:-1] @ beta[:-1]",
    ),
    "svm": (
        '{"X": self.X, "y": np.sign(self.y), "C": 0.5}',
        "beta",
        "0.5 * np.maximum(1 - np.sign(self.y) * (self.X @ beta), 0).sum() + 0.5 * beta @ beta",
    ),
    "quantile": (
        '{"X": self.X, "y": self.y, "lmbd": 0.02, "quantile": 0.2, "fit_intercept": False}',
        "params",
        "np.maximum(0.2 * (self.y - self.X @ params), -0.8 * (self.y - self.X @ params)).mean()"
        " + 0.02 * abs(params).sum()",
    ),
}
OBJECTIVE = """
import numpy as np
from benchopt import BaseObjective

class Objective(BaseObjective):
    name = "stand-in"
    def set_data(self, X, y):
        self.X, self.y = X, y
    def evaluate_result(self, {result}):
        return {{"value": {value}}}
    def get_one_result(self):
        return {{"{result}": np.zeros(self.X.shape[1] + 1)}}
    def get_objective(self):
        return {given}
"""
DATASET = """
import numpy as np
from benchopt import BaseDataset

class Dataset(BaseDataset):
    name = "tiny"
    def get_data(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 8))
        return {"X": X, "y": X[:, 0] - X[:, 1] + rng.normal(size=60)}
"""


def run(folder, *options):
    """The results as a table of pandas."""
    pandas = pytest.importorskip("pandas", reason="benchopt brings pandas")
    command = [sys.executable, "-m", "benchopt", "run", str(folder), "-n", "40", "-r", "1"]
    done = subprocess.run(
        [*command, "--no-plot", "--no-display", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (folder / "outputs").glob("*.parquet")
    return pandas.read_parquet(found)


def test_the_multiclass_machine(tmp_path):
    folder = tmp_path / "multiclass_svm"
    shutil.copytree(OURS / "multiclass_svm", folder, ignore=shutil.ignore_patterns("__*"))
    loss = "Multiclass SVM[C=0.01,loss={}]"
    table = run(
        folder,
        *("-d", "blobs[n=90,d=6,k=3]", "-s", "rrmlinear", "-s", "sklearn"),
        *("-o", loss.format("weston-watkins"), "-o", loss.format("crammer-singer")),
    )
    assert set(table["solver_name"]) == {
        *(f"rrmlinear[solver={name}]" for name in ("auto", "walrus", "shark")),
        "sklearn",
    }
    least = table.groupby(["objective_name", "solver_name"])["objective_value"].min()
    for name in ("weston-watkins", "crammer-singer"):
        values = least[loss.format(name)]
        assert len(values) > 1
        # the walrus and shark of one problem, and scikit-learn's machine of the other, agree
        assert values.max() <= values.min() * (1 + 1e-6)


@pytest.mark.slow  # four processes of benchopt take half a minute
@pytest.mark.parametrize("name", OTHERS)
def test_solvers_for_the_benchmarks_of_others(name, tmp_path):
    folder = tmp_path / "stand_in"
    for room in ("datasets", "solvers"):
        (folder / room).mkdir(parents=True)
    given, result, value = OTHERS[name]
    (folder / "objective.py").write_text(OBJECTIVE.format(given=given, result=result, value=value))
    (folder / "datasets" / "tiny.py").write_text(DATASET)
    shutil.copy(OURS / "solvers_for_others" / f"{name}_solver.py", folder / "solvers")
    table = run(folder)
    assert set(table["solver_name"]) == {"rrmlinear"}
    assert table["objective_value"].min() == pytest.approx(optimum(name), rel=1e-6)


def optimum(name):
    """The minimum by scikit-learn, whose objectives are scaled to those of OTHERS."""
    from sklearn.linear_model import Lasso, LogisticRegression, QuantileRegressor

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = X[:, 0] - X[:, 1] + rng.normal(size=60)
    sign = np.sign(y)
    if name == "lasso":
        lasso = Lasso(alpha=3 / 60, tol=1e-12, max_iter=10**6).fit(X, y)
        return 0.5 * ((y - lasso.predict(X)) ** 2).sum() + 3 * abs(lasso.coef_).sum()
    if name == "logistic":
        machine = LogisticRegression(C=10.0, tol=1e-12, max_iter=10**5).fit(X, sign)
        scores = machine.decision_function(X)
        return np.logaddexp(0, -sign * scores).sum() + 0.05 * (machine.coef_**2).sum()
    if name == "quantile":
        machine = QuantileRegressor(quantile=0.2, alpha=0.02, fit_intercept=False).fit(X, y)
        rest = y - machine.predict(X)
        return np.maximum(0.2 * rest, -0.8 * rest).mean() + 0.02 * abs(machine.coef_).sum()
    machine = rrmlinear.LinearSVC(loss="hinge", C=0.5, fit_intercept=False, tol=1e-10)
    machine.fit(X, sign)
    assert machine.duality_gap_ <= 1e-9 * machine.objective_  # proved by its own certificate
    return machine.objective_
