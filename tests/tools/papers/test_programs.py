"""The programs of the papers' pages on small data: tables, findings, pictures, printed numbers."""

import csv
import lzma

import numpy as np
import pytest

METHODS = "Pdprox-dual (-s 37); Pdprox-dual, gap proved; FOBOS"
#: Of a program its words, and how lines that it prints begin.
RUNS = {
    "figure_hadamard": (
        ["-d", "32", "--lam", "0.1"],
        [
            "| t | qp | ls | ocas | printed |",
            "found: qp: λ t times the gap is between 0.500000 and 0.500000 for t = 1 to 15; the",
        ],
    ),
    "figures_pragam": (
        ["astro-ph", "--rows", "200", "--lam", "1e-2", "--turns", "1", "--limit", "1"]
        + ["--methods", "Pragam; BMRM"],
        [
            "astro-ph: 180 × 99757, λ = 0.01, C = 1/(λn) = 0.555556",
            "found: objective/optimum − 1 at the end on astro-ph: ",
            "found: test accuracy at the end on astro-ph: from ",
        ],
    ),
    "figure_rates": (["--steps", "12"], ["| logistic, a9a"]),
    "bench_pdprox": (
        ["quantile-generated", "--tasks", "2000 ×", "--rows", "300", "--turns", "1", "--limit", "2"]
        + ["--methods", METHODS, "--levels", "0.1,0.01,1e-3"],
        [
            "| task | method | passes | CPU s | wall s |",
            "found: generated, 2000 × 20, quantile 0.8 + l1, λ = 0.01, to 0.",
        ],
    ),
    "figures_ww": (
        ["satimage", "--powers=-2,0"],
        ["| satimage | ", "found: with fewer than 20 classes Walrus takes"],
    ),
    "accuracies_ww": (
        ["satimage", "--powers=-6,3"],
        [
            "| satimage, paper | 81.95 | 84.00 |",
            "| satimage, here |",
            "found: satimage: accuracies",
        ],
    ),
    "figure_sdca": (
        ["astro", "--rows", "200", "--lam", "1e-3", "--passes", "60"],
        ["| astro |", "found: the accelerated ascent is at 0.001 above the optimum before"],
    ),
    "structured": (
        ["crf", "f1-small", "--limit", "0.02"],
        ["crf, C = 0.01; passes by", "found: f1-small to 0.001: ", "found: crf: test scores"],
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Ten words of four letters, three features each, under the names of the sets."""
    chance = np.random.default_rng(0)
    letters = chance.integers(0, 3, 40)
    X = np.eye(3)[letters] + 0.3 * chance.normal(size=(40, 3))
    signs = np.where(X[:, 0] > 0.8, 1, -1)
    of_names = {"ocr-letters": letters, "satimage.scale": letters, "satimage.scale.t": letters}
    of_names |= dict.fromkeys(("a9a", "ijcnn1", "ijcnn1.t"), signs)
    for name, labels in of_names.items():
        lines = [
            f"{label} " + " ".join(f"{j + 1}:{value:g}" for j, value in enumerate(row))
            for label, row in zip(labels, X, strict=True)
        ]
        with lzma.open(tmp_path / f"{name}.xz", "wt") as file:
            file.write("\n".join(lines) + "\n")
    with lzma.open(tmp_path / "ocr-letters.seq.xz", "wt") as file:
        file.write("\n".join(map(str, np.repeat(np.arange(10), 4))))
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("program", RUNS)
def test_table_findings_and_picture(tool, folder, capsys, program):
    pytest.importorskip("matplotlib")
    words, told = RUNS[program]
    picture = folder / "out.png"
    assert tool(program).main([*words, "--png", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    for begin in told:
        assert any(line.startswith(begin) for line in lines), begin
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_lower_bound_is_met(tool, tmp_path):
    out = tmp_path / "out.csv"
    words = ["-d", "32", "--lam", "0.1", "--csv", str(out)]
    assert tool("figure_hadamard").main(words) == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for method in ("qp", "ls", "ocas"):
        found = [float(row["gap"]) for row in rows if row["method"] == method]
        np.testing.assert_allclose(found, 1 / (2 * 0.1 * np.arange(1, 16)), rtol=1e-12)
    printed = [float(row["gap"]) for row in rows if row["method"] == "printed"]
    np.testing.assert_allclose(printed, [5] + [0] * (len(printed) - 1), atol=1e-12)


@pytest.mark.parametrize("lams", [(0, 0), (0, 1e-2), (1e-2, 0), (1e-2, 1e-2)])
@pytest.mark.parametrize("method", ["AGM-EF-∞", "AGM-EF-1"])
def test_errors_lie_below_the_bound(tool, lams, method):
    rates = tool("figure_rates")
    case = rates.worst_case(40, *lams)
    errors = case.errors(method, 40, rates.FIXED)
    assert (errors <= case.bound(method, 40)).all()
    assert errors[-1] < errors[0] / 10
    if case.worst and method == "AGM-EF-∞":
        assert (errors >= case.floor(40)).all()


@pytest.mark.parametrize(
    ("program", "files", "loss", "error"),
    [
        ("movielens", ["ml-100k.u.data"], "absolute", None),
        ("movielens", ["ml-100k.u.data"], "hinge", None),
        ("school", ["school", "school.task"], "absolute", 10.34),
        ("school", ["school", "school.task"], "epsilon-insensitive", 10.34),
    ],
)
def test_the_error_is_the_papers_and_the_gap_is_certified(
    tool, shared_data, capsys, program, files, loss, error
):
    paths = [str(shared_data(name)) for name in files]
    own = ["--penalties", "1e-2", "--splits", "1"] if error else ["--penalties", "1e-3"]
    tool(program).main([*([] if error else paths), "--losses", loss, *own])
    row = capsys.readouterr().out.splitlines()[-1].split("|")
    assert 0 <= float(row[4]) <= 1e-3
    if error:
        assert float(row[3].split("±")[0]) == pytest.approx(error, abs=0.1)


@pytest.mark.usefixtures("folder")
def test_every_solver_of_structured_risks_comes_down_to_the_optimum(tool):
    script = tool("structured")
    for name in ("m3n-small", "crf", "f1-small"):
        task = script.TASKS[name]
        study = script.study_of(task)
        for who, build in task.solvers.items():
            curve = script.run(build, study, 60.0)
            table = curve.table
            assert table[-1, 4] <= 1e-4 * table[-1, 2], who
            assert (np.diff(table[:, 1]) >= 0).all()
            assert curve.found[script.GAPS.index(1e-4)][0] == table[-1, 0]


@pytest.mark.parametrize("least", [0, 1, 15, 16, 17, 100])
def test_the_least_effort_is_found(tool, least):
    class Fake:
        def train(self, effort, limit):
            return effort / 1e6, effort

        def close(self):
            pass

    def objective(effort):
        return 1.0 if effort >= least else 2.0

    assert tool("contest").Contestant("fake", Fake, objective, 1.0).least_effort(1.5) == least


def test_a_head_to_head_has_the_least_time_of_each_level(tool, tmp_path, capsys):
    pytest.importorskip("sklearn")
    out = tmp_path / "out.csv"
    words = ["text", "--rows", "300", "--features", "400", "--losses", "hinge", "--runs", "2"]
    words += ["--only", "rrmlinear plain,scikit-learn LinearSVC dual,celer", "--csv", str(out)]
    assert tool("bench_sdca").main(words) == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    reached = {row["solver"]: row for row in rows if row["level"] == "1e-06"}
    for name in ("rrmlinear plain", "rrmlinear plain, gap proved", "scikit-learn LinearSVC dual"):
        assert 0 < float(reached[name]["least"]) <= float(reached[name]["cpu"])
        assert float(reached[name]["suboptimality"]) <= 1.05e-6
    why = {row["solver"]: row["why not"] for row in rows if row["why not"]}
    assert "does not solve this problem" in why["celer"]
    assert "| rrmlinear plain |" in capsys.readouterr().out
