"""What the manual prints runs: the programs of its pages, and the examples of its gallery."""

import re
import runpy
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
GALLERY = sorted((TOP / "docs" / "gallery").glob("*.py"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
MIGRATION = (TOP / "docs" / "migration.md").read_text(encoding="utf-8").split("\n## ")[1:]


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
