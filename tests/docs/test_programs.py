"""What the manual prints runs: the programs of its pages, and the examples of its gallery."""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
GALLERY = sorted((TOP / "docs" / "gallery").glob("*.py"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
MIGRATION = (TOP / "docs" / "migration.md").read_text(encoding="utf-8").split("\n## ")[1:]


#: Pages whose programs and commands run one after the other.
PAGES = ("container.md", "exports.md", "files.md", "liblinear.md", "out-of-core.md", "sequences.md")
#: Packages without which the commands of a page do not run.
NEEDED = {
    "exports.md": ("onnxruntime", "skl2onnx", "pandas"),
    "files.md": ("anndata", "h5py", "pyarrow", "plotly"),
}
PARTS = re.compile(r"^```(sh|bash|python)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
#: The ways of a field from its data to a result, and what they leave behind.
WAYS = {
    "exports.md": ("A service: train, ONNX, onnxruntime", "digits.onnx", rb"\Wprobabilities\W"),
    "files.md": ("Cells to classes", "new.kinds", rb"\A((B cell|NK|T cell)\n){150}\Z"),
    "liblinear.md": ("An old script", "old.accuracy", rb"^9\d\.\d+%\n$"),
    "sequences.md": ("CRFsuite's text", "named", rb"^B-VP\tB-VP\n"),
}
MOST_STEPS = 5

#: Other programs that those programs run.
OTHERS = {"liblinear": "liblinear-official", "pycrfsuite": "python-crfsuite"}


@pytest.mark.parametrize("section", MIGRATION, ids=lambda text: text.splitlines()[0])
def test_a_program_of_those_who_come_from_elsewhere(section, tmp_path, monkeypatch):
    (tmp_path / "datasets").symlink_to(TOP / "datasets")
    monkeypatch.chdir(tmp_path)
    (program,) = BLOCK.findall(section)
    assert "assert" in program
    for name, package in OTHERS.items():
        if re.search(rf"^(import|from) {name}\b", program, flags=re.MULTILINE):
            pytest.importorskip(name, reason=f"{package} is not installed")
    exec(compile(program, "migration.md", "exec"), {})


@pytest.mark.parametrize("page", PAGES)
def test_programs_and_commands_of_a_page(page, tmp_path, monkeypatch, capsys):
    """In their order, modules in this process; commands of tools/ measure, and do not run here."""
    (tmp_path / "datasets").symlink_to(TOP / "datasets")
    shutil.copy(TOP / "datasets" / "digits.libsvm", tmp_path / "data.libsvm")
    monkeypatch.chdir(tmp_path)
    names = {}
    for package in NEEDED.get(page, ()):
        pytest.importorskip(package, reason=f"the page's commands need {package}")
    parts = PARTS.findall((TOP / "docs" / page).read_text(encoding="utf-8"))
    for language, text in parts:
        if language == "python":
            exec(compile(text, page, "exec"), names)
            continue
        if language == "bash":
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", text],
                **{"env": os.environ | {"PATH": path}, "capture_output": True},
            )
            assert done.returncode == 0, done.stderr
            continue
        for words in map(shlex.split, text.splitlines()):
            if words[:2] == ["python", "-m"]:
                monkeypatch.setattr(sys, "argv", words[2:])
                assert (import_module(words[2]).main(), capsys.readouterr().err) == (0, ""), words
    assert parts
    if page in WAYS:
        _, left, told = WAYS[page]
        assert re.search(told, Path(left).read_bytes(), flags=re.MULTILINE)


@pytest.mark.parametrize("page", WAYS)
def test_a_way_has_five_steps(page):
    text = (TOP / "docs" / page).read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {re.escape(WAYS[page][0])}\n(.*?)^## ", text, re.S | re.M)
    parts = PARTS.findall(section)
    commands = [
        line for language, code in parts if language != "python" for line in code.split("\n")
    ]
    lines = commands or [each for _, code in parts for each in code.split("\n")]
    is_step = re.compile(r"(?!import |from |assert |\s*$)")
    assert 1 <= len([line for line in lines if is_step.match(line)]) <= MOST_STEPS


def test_the_program_with_a_solver_of_its_own(monkeypatch):
    monkeypatch.chdir(TOP)
    (program,) = BLOCK.findall((TOP / "docs" / "extend.md").read_text(encoding="utf-8"))
    assert "assert" in program
    exec(compile(program, "extend.md", "exec"), {})


@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_an_example_of_the_gallery(script, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="examples draw pictures")
    pyplot.switch_backend("Agg")
    runpy.run_path(str(script))
    assert pyplot.get_fignums()
    assert "assert " in script.read_text(encoding="utf-8")
    pyplot.close("all")


def test_the_gallery_has_ten_examples():
    assert len(GALLERY) >= 10
