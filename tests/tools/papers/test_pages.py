"""The papers' pages: every figure's command, resumption, and what stands on a page."""

import re
import sys

import pytest

pytest.importorskip("plotly", reason="pages need plotly")
pytest.importorskip("jinja2", reason="pages need Jinja2")

SCRIPT = """\
import sys
if "broken" in sys.argv: sys.exit("it broke")
print("Table 1: of something\\n\\n| a | b |\\n| --- | --- |\\n| 1 | 2<3 |\\nfound: it holds")
open(sys.argv[sys.argv.index("--png") + 1], "wb").write(b"\\x89PNG picture")
open("calls", "a").write("x")
"""


@pytest.fixture
def pages(tool):
    return tool("pages")


@pytest.fixture
def evidence(pages):
    return sys.modules["evidence"]


def test_every_figure_has_a_command_and_a_claim(pages):
    for paper in pages.PAGES:
        found = pages.evidence_of(paper)
        assert len({one.key for one in found}) == len(found) > 0
        for one in found:
            assert one.script.is_file()
            assert one.claim.endswith(".")
            assert one.share > 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_goes_on_where_it_stopped(pages, evidence, jobs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    monkeypatch.setattr(evidence, "TOP", tmp_path)
    good = evidence.Evidence(
        *("good", "Figure 1: good", script, lambda seconds: [f"--limit={seconds > 1}"]),
        *("It is so.", "Rows.", "all."),
    )  # fmt: skip
    broken = evidence.Evidence("broken", "Figure 2", script, lambda seconds: ["broken"], "No.")
    monkeypatch.setattr(pages, "evidence_of", lambda paper: [good, broken])
    for _ in range(2):
        assert pages.main(["003", "--minutes", "1", "--jobs", jobs, "--out", "out"]) == 0
    assert (tmp_path / "calls").read_text() == "x"
    said = capsys.readouterr().out
    assert said.count("not made: it broke") == 2
    assert "1 of 2 figures and tables in out/003.html" in said
    text = (tmp_path / "out" / "003.html").read_text(encoding="utf-8")
    for words in (
        *("It is so.", "it holds", "Rows.", "Stand-in: all.", "it broke"),
        *("python script.py --limit=True", "Table 1: of something", "2&lt;3"),
    ):
        assert words in text
    assert "data:image/png;base64," in text
    assert re.findall(r"(?:src|href)=\"(?!data:)", text) == []


def test_wrong_words_are_refused(pages, capsys):
    for words, said in (
        (["005"], "005 is no paper"),
        (["--minutes", "0"], "must be positive"),
        (["--jobs", "0"], "1 or more"),
    ):
        with pytest.raises(SystemExit):
            pages.arguments_of(words)
        assert said in capsys.readouterr().err
