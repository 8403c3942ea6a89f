"""The report of head-to-heads: its plan, its resumption, and the page."""

import sys

import pytest

pytest.importorskip("plotly", reason="pages need plotly")
pytest.importorskip("jinja2", reason="pages need Jinja2")

SDCA = """\
data,problem,solver,level,cpu,least,most,suboptimality,why not
a9a,"hinge, C = 1",rrmlinear automatic,0.001,0.5,0.4,0.6,0.0009,
a9a,"hinge, C = 1",rrmlinear automatic,1e-06,1.0,0.9,1.1,9e-07,
a9a,"hinge, C = 1",quick,0.001,0.25,0.2,0.3,0.0009,
a9a,"hinge, C = 1",quick,1e-06,,,,,
a9a,"hinge, C = 1",slow,0.001,2.0,2.0,2.0,0.0009,
a9a,"hinge, C = 1",slow,1e-06,8.0,8.0,8.0,1e-06,
a9a,"hinge, C = 1",other,,,,,,ValueError: does not solve this problem
a9a,"hinge, C = 1",absent,,,,,,ModuleNotFoundError: No module named 'absent'
"""


@pytest.fixture
def report(tool):
    return tool("report")


@pytest.fixture
def heads(report):
    return sys.modules["head_to_heads"]


def test_ratios_are_over_the_best_of_ours(heads, report, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(SDCA)
    times = heads.read_sdca(path)
    assert {time.solver for time in times} == {"rrmlinear automatic", "quick", "slow", "absent"}
    head = heads.HeadToHead("Scores", "a", "Losses", ("bench",), heads.read_sdca)
    page = sys.modules["report_of_times"]
    (table,) = page.section(head, times).tables
    cells = {str(row[0]): [(str(cell), cell.tone) for cell in row[1:]] for row in table.rows}
    assert list(cells) == ["rrmlinear automatic", "quick", "slow"]
    assert cells["quick"] == [("0.25", ""), ("0.5", "bad"), ("–", ""), ("not reached", "good")]
    assert cells["slow"] == [("2", ""), ("4", "good"), ("8", ""), ("8", "good")]
    assert page.section(head, times).warnings == [
        "absent is left out: ModuleNotFoundError: No module named 'absent'"
    ]
    page.write_report(tmp_path / "report.html", [(head, times)], [("Other", "no time was left")])
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<td class="bad">0.5</td>' in text
    assert "no time was left" in text
    made = tmp_path / "speed.md"
    made.write_text("Before\n<!-- report -->\nold\n<!-- end -->\nafter\n")
    sys.modules["summary"].put_summary(made, [(head, times)])
    lines = made.read_text().splitlines()
    assert lines[:3] == ["Before", "<!-- report -->", "### Scores"]
    assert "| against | problems | to 0.001 | to 1e-06 |" in lines
    assert "| quick | 1 | 0.5 | never: 1 |" in lines
    assert "| slow | 1 | 4 | 8 |" in lines
    assert [line for line in lines if line.startswith("*")] == [
        "* quick: a9a, hinge, C = 1: 0.5 of 500 ms"
    ]
    assert lines[-2:] == ["<!-- end -->", "after"]
    sys.modules["summary"].put_summary(made, [(head, [time for time in times if time.is_ours])])
    assert "### Scores" not in made.read_text()
    others = "### Other\n\nkept\n\n"
    made.write_text(f"<!-- report -->\n{others}### Scores\n\nold\n\n<!-- end -->\n")
    sys.modules["summary"].put_summary(made, [(head, times)])
    assert made.read_text().startswith(f"<!-- report -->\n{others}### Scores\n\n| against")
    assert "old" not in made.read_text()
    made.write_text("nowhere")
    with pytest.raises(ValueError, match="no lines <!-- report -->"):
        sys.modules["summary"].put_summary(made, [(head, times)])


def test_a_run_goes_on_where_it_stopped(heads, report, tmp_path, monkeypatch, capsys):
    script = tmp_path / "bench.py"
    script.write_text(
        "import sys\n"
        "if 'broken' in sys.argv: sys.exit('it broke')\n"
        f"open(sys.argv[sys.argv.index('--csv') + 1], 'w').write({SDCA!r})\n"
        f"open({str(tmp_path / 'calls')!r}, 'a').write('x')\n"
    )

    def plan(chosen):
        for key in ("good", "broken"):
            command = (sys.executable, str(script), key)
            yield heads.HeadToHead("Topic", key, f"the {key} one", command, heads.read_sdca)

    monkeypatch.setattr(report, "plan", plan)
    words = ["--out", str(tmp_path / "out"), "--minutes", "5"]
    assert report.main(words) == report.main(words) == 0
    assert (tmp_path / "calls").read_text() == "x"
    said = capsys.readouterr().out
    assert said.count("not measured: it broke") == 2
    assert said.count("1 of 2 head-to-heads in ") == 2
    assert report.main([*words, "--again", "--only", "none", "good"]) == 0
    assert (tmp_path / "calls").read_text() == "xx"
    assert report.main([*words, "--again", "--jobs", "2"]) == 0
    assert (tmp_path / "calls").read_text() == "xxx"
    assert report.main([*words, "--again", "--minutes", "1e-9"]) == 0
    assert "no time was left" in capsys.readouterr().out
