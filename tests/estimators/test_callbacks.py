"""scikit-learn's callbacks: tasks begin and end, bars show, and a callback ends a fit."""

import io
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rrmlinear
from rrmlinear.pages import passes
from rrmlinear.solvers.loop.result import Status

callback = pytest.importorskip("sklearn.callback", reason="callbacks need scikit-learn 1.9")

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 3))
Y = np.digitize(X[:, 0] + RNG.normal(size=80), [-0.5, 0.5])


class Recorder:
    """A callback that counts tasks; it ends a fit where it is told to."""

    def __init__(self, stops=False):
        self.stops, self.begun, self.ended, self.torn = stops, [], [], 0

    def setup(self, estimator, context):
        self.context = context

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)
        return self.stops

    def teardown(self, estimator, context):
        self.torn += 1


@pytest.mark.parametrize(
    "model",
    [
        rrmlinear.WestonWatkinsSVC(),
        rrmlinear.LinearSVC(loss="hinge"),
        rrmlinear.LogisticRegressionCV(Cs=2, cv=2),
        rrmlinear.KernelClassifier(),
        rrmlinear.OneClassSVM(),
        rrmlinear.PoissonRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_fit_is_a_task_that_begins_and_ends(model):
    seen = Recorder()
    model.set_callbacks(seen).fit(X + 3, Y)
    assert seen.begun[0] == "fit"
    assert seen.ended[-1] == "fit"
    assert len(seen.begun) == len(seen.ended)
    assert seen.torn == 1
    before = len(seen.begun)
    model.set_callbacks().fit(X + 3, Y)
    assert len(seen.begun) == before


def test_a_callback_ends_a_fit():
    model = rrmlinear.LinearClassifier(tol=1e-14, solver="prox-sdca")
    model.set_callbacks(Recorder(stops=True)).fit(X, Y > 0)
    assert model.status_ is Status.STOPPED_BY_CALLER


def test_a_fit_that_fails_tears_its_callbacks_down():
    seen = Recorder()
    with pytest.raises(ValueError, match="C"):
        rrmlinear.LinearSVC(C=-1.0).set_callbacks(seen).fit(X, Y)
    assert seen.torn == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_progress_bar_shows_alone_in_a_pipeline_and_in_a_search(jobs):
    pytest.importorskip("rich", reason="the bar needs rich")
    inner, model = (make_pipeline(StandardScaler(), rrmlinear.LinearSVC()) for _ in range(2))
    search = GridSearchCV(inner, {"linearsvc__C": [0.1, 1.0]}, cv=2, n_jobs=jobs)
    for each in (rrmlinear.LinearSVC(), model, search):
        with redirect_stdout(io.StringIO()) as out:
            each.set_callbacks(callback.ProgressBar(max_propagation_depth=None)).fit(X, Y)
        assert type(each).__name__ in out.getvalue()
    assert search.best_score_ > 0.4


@pytest.mark.parametrize("missing", [None, "rich", "ipywidgets"])
def test_a_notebook_shows_a_bar_or_without_its_packages_lines(missing, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setattr(passes, "find_spec", lambda name: None if name == missing else name)
    model = rrmlinear.LinearSVC(loss="hinge", verbose=1, tol=1e-9)
    assert isinstance(model._progress(), passes.LiveLine) == (missing is None)
    if missing is not None:
        model.fit(X, Y)
        assert "[LinearSVC] the duality gap is within the tolerance" in capsys.readouterr().out
