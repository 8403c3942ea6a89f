"""Every command and program of the README and of the pages for users runs as they say."""

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from rrmlinear.cli.options import parser_of_training
from rrmlinear.cli.usage import training_usage

TOP = Path(__file__).resolve().parent.parent
README = (TOP / "README.md").read_text()
COMMAND_LINE = (TOP / "docs" / "command_line.md").read_text()
PAGES = (TOP / "docs" / "pages.md").read_text()
START = (TOP / "docs" / "start.md").read_text()
PYTHON = (TOP / "docs" / "python.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
BLOCKS = [block for page in (README, START, COMMAND_LINE, PAGES) for block in BLOCK.findall(page)]
COMMANDS = [
    line for language, text in BLOCKS if language == "sh" for line in text.strip().splitlines()
]
#: Most lines of the front page.
MOST_LINES = 130
ELSEWHERE = {
    "tools/build/bootstrap.py": "makes the environment that this test runs in",
    "install": "is pip's, and tests/test_packaging.py holds what it installs",
}


def elsewhere(command):
    """Why a command does not run here, or None."""
    return ELSEWHERE.get(shlex.split(command)[1])


def run(command, folder):
    words = shlex.split(command)
    assert words[0] in ("python", "python3")
    return subprocess.run(
        [sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with datasets/ in it."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "datasets").symlink_to(TOP / "datasets")
    return folder


@pytest.fixture(scope="module")
def outcomes(folder):
    """The outcome of each command, after those before it."""
    here = dict.fromkeys(command for command in COMMANDS if not elsewhere(command))
    return {command: run(command, folder) for command in here}


@pytest.mark.parametrize("command", dict.fromkeys(COMMANDS))
def test_command(command, outcomes):
    if reason := elsewhere(command):
        pytest.skip(f"{command} {reason}")
    done = outcomes[command]
    assert done.returncode == 0
    if done.stderr:  # the manual shows what a command warns of
        assert f"{command}\n```\n\n```text\n{done.stderr}```" in COMMAND_LINE
    if "rrmlinear.predict" in command:
        assert f"```text\n{done.stdout}```" in COMMAND_LINE
        assert f"`{done.stdout.strip()}`" in README


def test_the_front_page_is_short():
    assert len(README.splitlines()) <= MOST_LINES


def test_printed_summary(outcomes):
    done = next(outcomes[line] for line in COMMANDS if "-s 30" in line)

    def without_numbers(text):
        return re.sub(r"-?\d+(\.\d+)?(e[+-]\d+)?", "0", text)

    summary = next(text for language, text in BLOCKS if text.startswith("optimization finished"))
    assert without_numbers(done.stdout).endswith(without_numbers(summary))

    def passes_and_support(text):
        return [float(re.search(words + r"(\d+)", text)[1]) for words in ("#iter = ", "nSV = ")]

    # other vector units round otherwise, so that the descent takes another way
    assert passes_and_support(done.stdout) == pytest.approx(passes_and_support(summary), rel=0.5)


def programs(page):
    return [text for language, text in BLOCK.findall(page) if language == "python"]


def run_programs(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    names = {}
    for text in programs(page):
        exec(compile(text, "page.md", "exec"), names)


def test_the_five_lines(folder, monkeypatch, capsys):
    run_programs(README, folder, monkeypatch)
    score, gap = map(float, capsys.readouterr().out.split())
    assert score > 0.9
    assert 0 <= gap < 1
    assert len([line for line in programs(README)[0].splitlines() if line]) == 5


def test_the_first_minute(folder, monkeypatch, capsys):
    run_programs(START, folder, monkeypatch)
    accuracy, gap, objective, searched = map(float, capsys.readouterr().out.split())
    assert min(accuracy, searched) > 0.9
    assert 0 <= gap <= 0.01 * objective
    assert "LinearSVC" in (folder / "first.html").read_text(encoding="utf-8")


def test_python(folder, monkeypatch, capsys):
    run_programs(PYTHON, folder, monkeypatch)
    logistic, best, solved, accuracy = capsys.readouterr().out.splitlines()
    assert solved.startswith("the duality gap is within the tolerance")
    assert float(accuracy) > 0.94
    assert float(best.split()[0]) > 0.94
    assert float(logistic.split()[0]) > 0.97


def test_a_page_of_a_fit(folder, monkeypatch):
    run_programs(PAGES, folder, monkeypatch)
    assert "Lasso" in (folder / "lasso.html").read_text(encoding="utf-8")


def test_tables_are_those_of_the_catalog():
    """Options, solver types, losses and regularizers: python tools/build/tables.py writes them."""
    tables = runpy.run_path(str(TOP / "tools" / "build" / "tables.py"))
    texts = [(TOP / page).read_text() for page in tables["PAGES"]]
    named = [name for text in texts for name in re.findall(r"<!-- table: (\w+) -->", text)]
    assert named == list(tables["TABLES"])
    assert [tables["with_tables"](text) for text in texts] == texts


def test_options_are_those_of_train():
    usage = training_usage()
    offered = set(re.findall(r"^(--?[a-zA-Z][-a-z0-9]*)", usage, flags=re.MULTILINE))
    told = set(re.findall(r"^\| `(--?[a-zA-Z][-a-z0-9]*)", COMMAND_LINE, flags=re.MULTILINE))
    assert told == offered - {"-h", "--help-all", "--version"}
    parser = parser_of_training()
    assert offered - {"-wi"} == set(parser.options) - {"-w", "--help"}


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        "docs/start.md",
        "docs/command_line.md",
        "docs/python.md",
        "docs/math.md",
    ],
)
def test_links_and_files_named(page):
    text = (TOP / page).read_text()
    targets = re.findall(r"\]\(([^)#]+)\)", text)
    for target in targets:
        if "://" not in target:
            assert ((TOP / page).parent / target).exists(), target
    files = re.findall(r"(?<![\w./])(?:rrmlinear|tests|tools|datasets)/[\w/]*\w\.\w+", text)
    for file in files:
        assert "NAME" in file or (TOP / file).exists(), file
    assert targets or files or page in ("docs/math.md", "docs/start.md")
