"""The report of head-to-heads: its plan, its resumption, and the page."""

import argparse
import fcntl
import lzma
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

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


@pytest.fixture
def data_file(tmp_path):
    """A small set under the name of a large one."""
    folder = tmp_path / "data"
    folder.mkdir()
    with lzma.open(folder / "news20.xz", "wt") as file:
        file.write("1 1:0.5 3:2\n-1 2:1\n" * 50)
    return folder / "news20.xz"


def options(**more):
    plain = {"peers_python": [], "peer": [], "limit": 1.0, "runs": 1, "data": None}
    return argparse.Namespace(**{**plain, **more})


def test_the_plan_takes_the_sets_that_are_there(heads, tmp_path):
    keys = [head.key for head in heads.plan(options())]
    scores = ["l2-text", "elastic-net-text", "l2-dense", "l2-lasso"]
    assert keys == [*scores, "crf-generated"]
    for name in ("a9a", "letter.scale.xz", "news20", "pendigits.xz", "conll2000.train.txt.xz"):
        (tmp_path / name).touch()
    found = {head.key: head for head in heads.plan(options(data=tmp_path, peer=["x=y {c} {data}"]))}
    assert set(found) - set(keys) == {
        "l2-a9a",
        "elastic-net-a9a",
        "accuracy-letter",
        "ww-letter.scale",
        "ww-pendigits",
        "types-a9a",
        "estimators-a9a",
        "estimators-letter.scale",
        "kernels-pendigits",
        "crf-conll2000",
        "reading-news20",
    }
    assert "x=y {c} {data}" in found["ww-letter.scale"].command
    assert all(Path(head.command[1]).is_file() for head in found.values())


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


def test_accuracies_stand_beside_the_printed_ones(heads, report, tool, tmp_path):
    tables = tool("accuracies_ww")
    one = tables.Accuracies.__new__(tables.Accuracies)
    one.name, one.found = "letter", {(gap, 3): (70.0, gap > 0.001) for gap in tables.PRINTED}
    path = tmp_path / "a.csv"
    tables.write([one], [3], path)
    found = heads.read_accuracies(path)
    assert [(each.gap, each.printed) for each in found] == [
        (0.09, 69.22),
        (0.009, 70.74),
        (0.0009, 71.22),
    ]
    head = heads.HeadToHead("Accuracy", "a", "Accuracy, letter", (), heads.read_accuracies)
    report.write_report(tmp_path / "p.html", [(head, found)], [])
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert '<td>70.00</td><td>69.22</td><td class="good">+0.78</td>' in text
    assert '<td>70.00*</td><td>71.22</td><td class="bad">-1.22</td>' in text
    assert sys.modules["summary"].summary([(head, found)]) == {"Accuracy": ""}


def test_weston_watkins_tells_whole_processes_apart(heads, tmp_path):
    path = tmp_path / "w.csv"
    columns = "data,C,solver,reached,solver_cpu_median,process_cpu_median\n"
    path.write_text(
        columns
        + "dna.scale.xz,1.0,rrmlinear knapsack,True,0.5,1\ndna.scale.xz,1.0,liblinear,True,,2\n"
        + "dna.scale.xz,1.0,walrus,False,3,4\n"
    )
    found = [(time.data, time.solver, time.seconds) for time in heads.read_weston_watkins(path)]
    assert found == [
        ("dna.scale", "rrmlinear knapsack", 0.5),
        ("dna.scale", "liblinear (whole process)", 2.0),
        ("dna.scale", "walrus", None),
    ]


def test_scripts_keep_their_times(heads, report, tool, tmp_path, data_file):
    """A script of each kind runs on a small set, and the report reads its CSV."""
    times = tool("times")
    written = tmp_path / "written.csv"
    kept = [times.Time("a", "p", "rrmlinear", 1e-6, 0.25), times.Time("a", "p", "q", None, None)]
    times.write_times(written, kept)
    assert times.read_times(written) == kept
    plan = {head.key: head for head in heads.plan(options(data=data_file.parent))}
    for key in ("crf-generated", "reading-news20"):
        small = (
            ["--sequences", "5", "--alone"] if key.startswith("crf") else ["--without-scikit-learn"]
        )
        command = (*plan[key].command, *small)
        head = heads.HeadToHead("Topic", key, key, command, plan[key].read)
        path = tmp_path / f"{key}.csv"
        assert report.measure(head, path, 60.0, data_file.parent, report.Running()) == ""
        found = head.read(path)
        assert any(time.is_ours for time in found)
        assert all(time.seconds is not None and time.seconds >= 0 for time in found)


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


def test_a_head_to_head_that_is_stopped_keeps_what_it_wrote(
    heads, report, tmp_path, monkeypatch, capsys
):
    lock = tmp_path / "lock"
    worker = (
        f"import fcntl, time; file = open({str(lock)!r}, 'w'); fcntl.flock(file, fcntl.LOCK_EX); "
        "print('held', flush=True); time.sleep(30)"
    )
    script = tmp_path / "bench.py"
    script.write_text(
        "import subprocess, sys\n"
        f"words = [sys.executable, '-c', {worker!r}]\n"
        "worker = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "worker.stdout.readline()\n"
        f"open(sys.argv[sys.argv.index('--csv') + 1], 'w').write({SDCA!r})\n"
        "worker.wait()\n"
    )
    command = (sys.executable, str(script))
    head = heads.HeadToHead("Topic", "long", "the long one", command, heads.read_sdca)
    monkeypatch.setattr(report, "plan", lambda chosen: iter([head]))
    assert report.main(["--out", str(tmp_path / "out"), "--minutes", "0.05"]) == 0
    said = capsys.readouterr().out
    assert "cut short: 3 seconds were too few for all of it" in said
    assert "1 of 1 head-to-heads in " in said
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "3 seconds were too few" in text
    assert "hinge, C = 1" in text
    with lock.open() as file:  # free once the worker has ended, too
        for _ in range(100):
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(0.05)
        else:
            pytest.fail("the worker of the head-to-head goes on")


INTERRUPTED = """\
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, str(Path(sys.argv[1]).parent))
import report
from head_to_heads import HeadToHead, read_sdca
head = HeadToHead("Topic", "long", "the long one", (sys.executable, sys.argv[2]), read_sdca)
report.plan = lambda chosen: iter([head])
sys.exit(report.main(["--out", sys.argv[3]]))
"""


def test_a_head_to_head_that_is_interrupted_is_made_again(report, tmp_path):
    script = tmp_path / "bench.py"
    script.write_text(
        "import os, signal, sys, time\n"
        f"open(sys.argv[sys.argv.index('--csv') + 1], 'w').write({SDCA!r})\n"
        "os.kill(os.getppid(), signal.SIGINT)\n"
        "time.sleep(30)\n"
    )
    words = [sys.executable, "-c", INTERRUPTED, report.__file__, script, tmp_path / "out"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=25, check=False)
    assert done.returncode == 130
    assert done.stderr == "stopped; the same command goes on from there\n"
    assert not (tmp_path / "out" / "long.csv").exists()


def test_wrong_words_are_refused(report, tmp_path, capsys):
    for words in (["--minutes", "0"], ["--data", str(tmp_path / "nope")]):
        with pytest.raises(SystemExit):
            report.arguments_of(words)
    assert report.main(["--only", "nothing", "--out", str(tmp_path)]) == 1
    assert re.search("no head-to-head has 'nothing'", capsys.readouterr().err)


@pytest.mark.parametrize("script", ["estimators", "kernel_machines"])
def test_head_to_heads_read_plain_files_too(tool, script, monkeypatch):
    pytest.importorskip("sklearn", reason="they compare with scikit-learn")
    monkeypatch.setenv("RRMLINEAR_DATA", str(Path(__file__).parents[3] / "datasets"))
    assert len(tool(script).load("iris.libsvm")[0]) == 75
