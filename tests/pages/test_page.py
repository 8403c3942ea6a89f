"""Pages: what they tell, that they need nothing from elsewhere, and that a browser shows them."""

import html
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import rrmlinear
from rrmlinear import CoxRegressor, Parameter, Problem, RankingSVM, fit
from rrmlinear.catalog.selection import select
from rrmlinear.metrics import ndcg
from rrmlinear.pages import canvas, pictures, traces, words
from rrmlinear.pages.drawing import svg_of
from rrmlinear.pages.page import check_available
from rrmlinear.training.order_measures import kaplan_meier

pytest.importorskip("plotly", reason="pages need plotly")
pytest.importorskip("jinja2", reason="pages need Jinja2")

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 4))
CLASSES = np.digitize(X[:, 0] + 0.1 * X[:, 1], [-0.5, 0.5]) + 4


def told(path):
    """Text of a page without its scripts, blanks joined."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"<script>.*?</script>|<style>.*?</style>", " ", text, flags=re.DOTALL)
    return re.sub(r"[ \n]+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text)))


def test_a_model_tells_problem_data_certificate_and_weights(tmp_path):
    problem = Problem.from_arrays(X, CLASSES)
    model = fit(problem, Parameter(solver=30, C=2.0, gap_tol=1e-6))
    path = tmp_path / "run.html"
    model.report(path, problem, feature_names=["ä", "b<c", "c", "d"], warnings=["look <out>"])
    text = told(path)
    assert "Solved: the duality gap is within the tolerance" in text
    assert "Tell 3 classes apart, all in one problem: the weston-watkins loss" in text
    assert "C = 2." in text
    assert "φ = Σ_{j≠y} max(0, 1 + a_j − a_y)" in text
    assert "rows 60" in text
    assert f"primal objective {model.result.primal:.9g}" in text
    assert f"relative gap {model.result.last.relative_gap:.4g}" in text
    assert f"passes {words.number(model.result.passes)}" in text
    assert "look <out>" in text
    for label in model.labels:
        assert f"label {label}" in text
    assert "b<c" in path.read_text(encoding="utf-8").replace("\\u003c", "<")


def test_the_mark_of_the_tolerance_is_seen_in_both_themes():
    trace = traces.trace_of(fit(Problem.from_arrays(X, CLASSES), Parameter(C=2.0)).result.trace)
    (mark,) = pictures.convergence([trace], 1e-3).layout.shapes
    assert mark.line.color == canvas.GREY


def test_a_pass_tells_its_seconds_whatever_the_axis():
    trace = traces.trace_of(fit(Problem.from_arrays(X, CLASSES), Parameter(C=2.0)).result.trace)
    (curve,) = pictures.convergence([trace]).data
    assert "%{x" not in curve.hovertemplate
    np.testing.assert_array_equal(curve.customdata[:, 1], trace.seconds)


def test_gaps_and_objectives_have_both_axes():
    trace = traces.trace_of(fit(Problem.from_arrays(X, CLASSES), Parameter(C=2.0)).result.trace)
    for picture in (pictures.convergence([trace]), pictures.objectives(trace)):
        seconds, passes = picture.layout.updatemenus[0].buttons
        for curve, x in zip(picture.data, passes.args[0]["x"], strict=True):
            np.testing.assert_array_equal(x, trace.passes)
            np.testing.assert_array_equal(curve.x, trace.seconds)
        assert (seconds.label, passes.label) == ("seconds", "passes")


def test_weights_that_are_all_zero_have_no_picture(tmp_path):
    model = fit(
        Problem.from_arrays(X, X[:, 0]), Parameter(loss="squared", regularizer="l1", l1=1e6)
    )
    model.report(tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "<dt>nonzero weights</dt><dd>0 of 4</dd>" in text
    assert '<div class="picture"' not in text.split("<h2>Weights</h2>")[1]
    assert "Parameter(loss=&#39;squared&#39;, regularizer=&#39;l1&#39;, l1=1000000.0)" in text


@pytest.mark.parametrize(("decades", "marks"), [(0.5, 3), (1.5, 3), (3, 4), (16, 8)])
def test_logarithmic_axes_have_few_marks(decades, marks):
    axis = canvas.logarithmic([np.nan, 0, 1e-9, 1e-9 * 10**decades])
    assert axis["nticks"] == marks


def test_a_page_asks_for_nothing_from_elsewhere(tmp_path):
    model = fit(Problem.from_arrays(X, CLASSES), Parameter(solver=1))
    model.report(tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    outside = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert re.findall(r"(?:src|href)=\"(?!data:)", outside) == []
    assert "Plotly.newPlot" in text


def test_an_unsolved_run_says_so(tmp_path):
    with pytest.warns(rrmlinear.training.fit.NotSolvedWarning):
        model = fit(
            Problem.from_arrays(X, CLASSES), Parameter(solver=30, max_passes=1, gap_tol=1e-9)
        )
    model.report(tmp_path / "run.html")
    assert "Not solved: the limit on passes was reached" in told(tmp_path / "run.html")


SHOWN = re.compile(r"<tr><td>([^<]*)</td>(.*?)</tr>")


def rows_of(path, title):
    """The rows of a table by their first cell."""
    part = path.read_text(encoding="utf-8").split(title)[1].split("</table>")[0]
    return {name: re.findall(r"<td[^>]*>([^<]*)</td>", rest) for name, rest in SHOWN.findall(part)}


def test_quality_stands_first_and_is_that_of_the_predictions(tmp_path):
    problem, test = (
        Problem.from_arrays(X[:40], CLASSES[:40]),
        Problem.from_arrays(X[40:], CLASSES[40:]),
    )
    model = fit(problem, Parameter(solver=30))
    path = tmp_path / "run.html"
    model.report(path, problem, test, warnings=["look out"])
    text = path.read_text(encoding="utf-8")
    assert "<title>Linear SVM, 3 classes</title>" in text
    assert text.index("look out") < text.index("<h2>Quality</h2>") < text.index("<h2>Problem</h2>")
    right = [int((model.predict(each) == each.labels).sum()) for each in (problem, test)]
    told = rows_of(path, "<h2>Quality</h2>")["accuracy"]
    assert [cell.split("(")[1] for cell in told] == [f"{right[0]} of 40)", f"{right[1]} of 20)"]
    confused = rows_of(path, "Confusion matrix: test data")
    for label, counts in confused.items():
        own = model.predict(test)[test.labels == int(label)]
        assert [int(count) for count in counts] == [int((own == each).sum()) for each in (4, 5, 6)]


def test_labels_that_the_model_does_not_know_are_wrong(tmp_path):
    model = fit(Problem.from_arrays(X, CLASSES), Parameter(solver=1))
    model.report(tmp_path / "run.html", test=Problem.from_arrays(X, np.full(60, 9)))
    assert rows_of(tmp_path / "run.html", "<h2>Quality</h2>")["accuracy"] == ["0.00% (0 of 60)"]
    assert rows_of(tmp_path / "run.html", "Classes: test data")["9"][0] == "60"


@pytest.mark.parametrize("k", [2, 30])
def test_a_static_page_is_small_and_has_no_script(tmp_path, k):
    labels = np.arange(300) % k
    data = RNG.normal(size=(k, 30))[labels] + RNG.normal(size=(300, 30))
    problem = Problem.from_arrays(data, labels)
    model = fit(problem, Parameter(solver=30, gap_tol=1e-3))
    path = tmp_path / "run.html"
    model.report(path, problem, problem, static=True)
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size <= 300_000
    assert "<script" not in text
    assert text.count("<svg") == 7
    assert ("The most frequent confusions" in text) == (k == 30)


@pytest.mark.parametrize(
    ("parameter", "title"),
    [
        ({"loss": "squared"}, "Ridge regression"),
        ({"loss": "squared", "regularizer": "l1"}, "Lasso"),
        ({"loss": "quantile"}, "Quantile regression"),
        ({"loss": "f1"}, "Linear classifier for F1, 2 classes"),
        ({"solver": 5}, "Linear SVM with l1, 2 classes"),
        (
            {"loss": "weston-watkins", "regularizer": "trace-norm"},
            "Linear SVM with trace norm, 2 classes",
        ),
        ({"loss": "rank-hinge"}, "Ranking SVM"),
        ({"loss": "cox-efron", "regularizer": "l1"}, "Cox regression with l1"),
    ],
)
def test_problems_have_their_names_of_the_field(parameter, title):
    chosen = select(Parameter(**parameter))
    n_classes = 0 if chosen.kind == "regression" else 2
    assert words.title(chosen.loss_row.name, chosen.choices, n_classes) == title


def test_regressions_are_of_numbers(tmp_path):
    problem = Problem.from_arrays(X, X[:, 0])
    model = fit(problem, Parameter(loss="epsilon-insensitive", epsilon=0.25))
    model.report(tmp_path / "run.html", problem)
    text = told(tmp_path / "run.html")
    assert "the epsilon-insensitive loss (ε = 0.25) with" in text
    assert "label" not in text.split("Weights")[1].split("How it was made")[0]


def test_ranks_and_times_have_their_measures(tmp_path):
    path, queries = tmp_path / "run.html", np.arange(len(X)) % 4
    grades = np.digitize(X[:, 0], [-0.5, 0.5]).astype(float)
    ranks = replace(Problem.from_arrays(X, grades), query_ids=queries)
    model = fit(ranks, Parameter(loss="rank-squared-hinge", C=0.1))
    model.report(path, ranks, ranks.take(np.arange(20)), static=True)
    text, measured = path.read_text(encoding="utf-8"), rows_of(path, "<h2>Quality</h2>")
    scores = model.predict(ranks)
    assert float(measured["nDCG@10"][0]) == pytest.approx(ndcg(grades, scores, queries, 10), 1e-5)
    assert measured["queries"] == ["4", "4"]
    assert "nDCG@10 of a query" in text
    assert "part of the queries" in text
    assert "<dt>queries</dt><dd>4</dd>" in text
    ranking = RankingSVM(C=0.1).fit(X, grades, qid=queries)
    ranking.report(path, X, grades, groups=queries)
    assert "<dt>queries</dt><dd>4</dd>" in path.read_text(encoding="utf-8")
    y = np.column_stack([np.exp(X[:, 1]), X[:, 2] > 0])
    cox = CoxRegressor(0.1).fit(X, y, strata=queries)
    cox.report(path, X, y, X[:20], y[:20], groups=queries, groups_test=queries[:20], static=True)
    measured, text = rows_of(path, "<h2>Quality</h2>"), path.read_text(encoding="utf-8")
    times = (words.number(each) for each in (y[:, 0].min(), y[:, 0].max(), np.median(y[:, 0])))
    assert "<dt>labels</dt><dd>{} to {}, median {}</dd>".format(*times) in text
    told = [float(each) for each in measured["Concordance"]]
    expected = [cox.score(X[:n], y[:n], strata=queries[:n]) for n in (len(X), 20)]
    assert told == pytest.approx(expected, rel=1e-5)
    assert "part without the event" in text
    assert "<dt>strata</dt><dd>4</dd>" in text
    assert "<dt>queries</dt>" not in text
    times = np.where(X[:, 2] > 0, 1.0, -1.0) * np.exp(X[:, 1])
    strata = replace(Problem.from_arrays(X, times), query_ids=queries)
    fit(strata, Parameter(loss="cox-efron", C=0.1)).report(path, strata)
    assert "<dt>strata</dt><dd>4</dd>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("last", [0.0044, 0.044])
def test_marks_of_a_static_picture_keep_their_digits(last):
    trace = traces.trace_of(fit(Problem.from_arrays(X, CLASSES), Parameter(C=2.0)).result.trace)
    near = replace(
        trace,
        seconds=np.linspace(0.0042, last, len(trace.seconds)),
        primal=np.linspace(3.4931, 3.4928, len(trace.primal)),
        dual=np.linspace(3.4910, 3.4927, len(trace.dual)),
    )
    found = re.findall(r"<text[^>]*>([^<]+)", svg_of(pictures.objectives(near)))
    marks = [word for word in found if re.fullmatch(r"[\d.]+", word)]
    assert len(marks) > 5
    assert len(set(marks)) == len(marks)


@pytest.mark.parametrize(
    ("model", "title"),
    [
        (rrmlinear.Ridge(alpha=0), "Least squares"),
        (rrmlinear.QuantileRegressor(alpha=0), "Quantile regression"),
        (CoxRegressor(0), "Cox regression"),
        (rrmlinear.LogisticRegression(C=np.inf), "Logistic regression, 2 classes"),
    ],
)
def test_without_a_penalty_the_problem_has_no_regularizer(tmp_path, model, title):
    noise = np.random.default_rng(1).normal(size=len(X))
    path, y = tmp_path / "run.html", np.exp(X[:, 1] + noise)
    if isinstance(model, CoxRegressor):
        y = np.column_stack([y, np.ones(len(X))])
    elif isinstance(model, rrmlinear.LogisticRegression):
        y = y > np.median(y)
    model.fit(X, y).report(path, static=True)
    text = path.read_text(encoding="utf-8")
    assert f"<title>{title}</title>" in text
    assert "loss, without a regularizer.</dd>" in text or "), without a regularizer.</dd>" in text
    assert "minimize over w:  Σ_i φ_i(w)" in text
    assert "Ω" not in text


def test_with_a_penalty_the_problem_has_a_regularizer(tmp_path):
    path = tmp_path / "run.html"
    rrmlinear.Ridge(alpha=0).fit(X, X[:, 1]).set_params(alpha=0.5).fit(X, X[:, 1]).report(path)
    text = told(path)
    assert "without a regularizer" not in text
    assert "Ω(w) + C Σ_i φ_i(w)" in text


def test_survival_by_kaplan_and_meier():
    at, left = kaplan_meier(np.array([1.0, -2.0, 2.0, 3.0, -4.0]))
    np.testing.assert_allclose(at, [0, 1, 2, 3, 4])
    np.testing.assert_allclose(left, [1, 0.8, 0.6, 0.3, 0.3])


def test_a_loaded_model_and_wrong_names_are_refused(tmp_path):
    model = fit(Problem.from_arrays(X, CLASSES), Parameter(solver=1))
    with pytest.raises(ValueError, match="feature_names has 3 names, and there are 4"):
        model.report(tmp_path / "run.html", feature_names=["a", "b", "c"])
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="a model that was loaded has no trace"):
        rrmlinear.Model.load(tmp_path / "model").report(tmp_path / "run.html")
    assert not (tmp_path / "run.html").exists()


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "plotly", None)
    with pytest.raises(ImportError, match=r"pip install 'rrmlinear\[report\]'"):
        check_available()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1234567, "1\u202f234\u202f567"), (-0.5, "−0.5"), (1e-7, "1e−07"), (np.inf, "∞")],
)
def test_numbers_as_people_read_them(value, text):
    assert words.number(value) == text


FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--allow-file-access-from-files",
    "--virtual-time-budget=5000",
    "--dump-dom",
)
# A frame as wide as a phone, as no window of Chromium is; what it holds is told in the outer page.
FRAME = """<iframe src="run.html" style="border: 0; height: 900px; width: {width}px"></iframe>
<script>setTimeout(() => {{
  const page = document.querySelector("iframe").contentDocument;
  const pictures = page.querySelectorAll(".picture.js-plotly-plot .main-svg:first-child").length;
  document.title = `${{page.documentElement.scrollWidth}} wide, ${{pictures}} pictures`;
}}, 3000)</script>"""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser Chromium")
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_draws_every_picture_without_an_error(tmp_path, width):
    problem = Problem.from_arrays(X, CLASSES)
    page = tmp_path / "run.html"
    fit(problem, Parameter(solver=30, gap_tol=1e-6)).report(page, problem)
    outer = tmp_path / "outer.html"
    outer.write_text(FRAME.format(width=width))
    command = [CHROMIUM, *FLAGS, "--window-size=1300,900", f"--user-data-dir={tmp_path}/user"]
    done = subprocess.run(
        [*command, outer.as_uri()], capture_output=True, text=True, timeout=60, check=True
    )
    assert "CONSOLE" not in done.stderr
    found = re.search(r"<title>(\d+) wide, (\d+) pictures</title>", done.stdout)
    assert int(found[1]) <= width
    assert found[2] == "7"
