"""Every command and every program of the README runs, and has the printed output."""

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
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
PROGRAMS = [text for language, text in BLOCKS if language == "python"]
COMMANDS = [
    line for language, text in BLOCKS if language == "sh" for line in text.strip().splitlines()
]
ELSEWHERE = {
    "tools/build/bootstrap.py": "makes the environment that this test runs in",
    "tools/papers/003_weston_watkins/bench_ww.py": "takes minutes; it has tests of its own",
}


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
    here = [command for command in COMMANDS if shlex.split(command)[1] not in ELSEWHERE]
    return {command: run(command, folder) for command in here}


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command, outcomes):
    words = shlex.split(command)
    if words[1] in ELSEWHERE:
        assert (TOP / words[1]).is_file()
        pytest.skip(f"{words[1]} {ELSEWHERE[words[1]]}")
    done = outcomes[command]
    assert (done.returncode, done.stderr) == (0, "")
    if "rrmlinear.predict" in words:
        assert f"```text\n{done.stdout}```" in README


def test_printed_summary(outcomes):
    done = next(outcomes[line] for line in COMMANDS if "-s 30" in line)

    def without_numbers(text):
        return re.sub(r"-?\d+(\.\d+)?(e[+-]\d+)?", "0", text)

    summary = next(text for language, text in BLOCKS if text.startswith("optimization finished"))
    assert without_numbers(done.stdout).endswith(without_numbers(summary))


def test_python(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    names = {}
    for text in PROGRAMS:
        exec(compile(text, "README.md", "exec"), names)
    solved, accuracy, best, logistic = capsys.readouterr().out.splitlines()
    assert solved.startswith("the duality gap is within the tolerance")
    assert float(accuracy) > 0.94
    assert float(best.split()[0]) > 0.94
    assert float(logistic.split()[0]) > 0.97


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
    told = set(re.findall(r"^\| `(--?[a-zA-Z][-a-z0-9]*)", README, flags=re.MULTILINE))
    assert told == offered - {"-h", "--version"}
    parser = parser_of_training()
    assert offered - {"-wi"} == set(parser.takes_value) - {"-w", "--help"}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/math.md"])
def test_links_and_files_named(page):
    text = (TOP / page).read_text()
    targets = re.findall(r"\]\(([^)#]+)\)", text)
    for target in targets:
        if "://" not in target:
            assert ((TOP / page).parent / target).exists(), target
    files = re.findall(r"(?<![\w./])(?:rrmlinear|tests|tools|datasets)/[\w/]*\w\.\w+", text)
    for file in files:
        assert "NAME" in file or (TOP / file).exists(), file
    assert targets or files or page == "docs/math.md"
