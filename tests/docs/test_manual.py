"""The manual: it builds without a warning, its links lead somewhere, and it has all there is."""

import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import rrmlinear
from rrmlinear import metrics
from rrmlinear.catalog.solvers import SOLVERS

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name != "index.md")
READ = [*PAGES, *(TOP / name for name in ("README.md", "CONTRIBUTING.md", "datasets/README.md"))]
CHART = DOCS / "pictures" / "chart.py"
PUBLIC = [name for name in rrmlinear.__all__ if not name.startswith("_")]
CLASSES = [name for name in PUBLIC if isinstance(getattr(rrmlinear, name), type)]
#: Longest sentences of a page, in words, on average.
MOST_WORDS = 25


def prose(text):
    """The sentences of a page, without code, tables, lists of links and formulas."""
    text = re.sub(r"^(```|:::+).*?^\1`*$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(\||#|    |<!--|:|\$\$).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    paragraphs = re.split(r"\n\s*\n|\n[*-] ", text)
    return [
        sentence
        for paragraph in paragraphs
        for sentence in re.split(r"(?<=[.?!:;])\s+", paragraph.strip())
        if len(sentence.split()) > 2
    ]


@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(TOP)))
def test_sentences_are_short(page):
    lengths = [len(sentence.split()) for sentence in prose(page.read_text(encoding="utf-8"))]
    assert not lengths or sum(lengths) / len(lengths) <= MOST_WORDS


def test_files_that_recipes_name_are_there():
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:rrmlinear/|tests/|tools/|test_)[\w/]*\.pyx?)`", text))
    have = {path.name for path in (TOP / "tests").rglob("*.py")}
    assert len(named) > 20
    assert [name for name in named if not (TOP / name).is_file() and name not in have] == []


def test_every_page_stands_in_the_contents():
    contents = (DOCS / "index.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^([\w/-]+)$", contents, flags=re.MULTILINE))
    pages = {
        str(path.relative_to(DOCS).with_suffix("")) for path in [*PAGES, DOCS / "api/index.md"]
    }
    assert pages <= told


def test_the_reference_has_every_public_name():
    named = re.findall(r"^   (\w+)$", (DOCS / "api" / "index.md").read_text(), flags=re.MULTILINE)
    assert sorted(named) == sorted(PUBLIC)


def test_the_reference_has_every_measure():
    text = (DOCS / "api" / "index.md").read_text()
    named = re.findall(r"^   metrics\.(\w+)$", text, flags=re.MULTILINE)
    assert sorted(named) == sorted(metrics.__all__)


def test_every_solver_type_has_a_section_of_its_own():
    headings = re.findall(r"^## .*$", (DOCS / "solvers.md").read_text("utf-8"), flags=re.MULTILINE)
    told = re.findall(r"`(?:-s )?([\w-]+)`", "\n".join(headings))
    ours = [str(number) for number, row in SOLVERS.items() if not row.is_liblinear]
    assert set(ours) <= set(told)


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_has_an_example_that_runs(name, monkeypatch):
    monkeypatch.chdir(TOP)
    thing = getattr(rrmlinear, name)
    text = inspect.getdoc(thing)
    assert "\nExamples\n" in text
    module = vars(import_module(thing.__module__))
    test = doctest.DocTestParser().get_doctest(text, dict(module), name, None, None)
    assert test.examples
    outcome = doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    ).run(test)
    assert outcome.failed == 0


@pytest.mark.parametrize(("kept", "more"), [("chart.svg", []), ("chart-narrow.svg", ["--narrow"])])
def test_the_charts_are_those_that_are_drawn(kept, more, tmp_path):
    pytest.importorskip("matplotlib", reason="the chart is drawn by matplotlib")
    chart = tmp_path / kept
    subprocess.run([sys.executable, CHART, chart, *more], check=True)
    texts = [
        re.findall("<text[^>]*>([^<]+)", path.read_text(encoding="utf-8"))
        for path in (chart, CHART.with_name(kept))
    ]
    assert texts[0] == texts[1] != []


def test_the_chart_names_all_estimators():
    named = set(re.findall(r'"([A-Z]\w+)"', CHART.read_text(encoding="utf-8"))) - {"Agg"}
    estimators = {name for name in CLASSES if hasattr(getattr(rrmlinear, name), "get_params")}
    assert named - {"Date"} == estimators


def test_the_manual_builds_and_its_links_lead_somewhere(tmp_path):
    pytest.importorskip("sphinx", reason="the manual needs the extra docs")
    pytest.importorskip("sphinx_gallery", reason="the manual needs the extra docs")
    script = TOP / "tools" / "build" / "manual.py"
    done = subprocess.run(
        [sys.executable, script, "--fast", tmp_path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    reference = tmp_path / "html/docs/api/generated"
    pages, found = list(reference.glob("*.html")), re.compile(r'id="(rrmlinear\.[\w.]+)"').findall
    named = {path.stem: set(found(path.read_text("utf-8"))) for path in pages}
    assert not [path for path in pages if "mailto:" in path.read_text("utf-8")]
    assert not [name for names in named.values() for name in names if "._" in name]
    estimators = {name for name in CLASSES if hasattr(getattr(rrmlinear, name), "get_params")}
    for name in estimators:
        told = {f"rrmlinear.{name}{member}" for member in ("", ".fit", ".predict", ".save")}
        assert told <= named[f"rrmlinear.{name}"]
    formula = (reference / "rrmlinear.LinearSVC.html").read_text()
    assert "_static/mathjax/tex-chtml.js" in formula
    chart = (tmp_path / "html/docs/choose.html").read_text()
    assert 'xlink:href="api/generated/rrmlinear.LinearSVC.html"' in chart
    assert (tmp_path / "html/_static/mathjax/tex-chtml.js").exists()
