"""docs/architecture.md names every source file, and no file that is not there."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
SUFFIXES = {".py", ".pyx", ".pxd", ".pyi", ".h"}
FOLDERS = sorted(
    {
        path.parent.relative_to(TOP).as_posix()
        for path in (TOP / "rrmlinear").rglob("*")
        if path.suffix in SUFFIXES
    }
)
TEXT = (TOP / "docs" / "architecture.md").read_text()


def sources(folder):
    """Source files of a folder, but for an __init__.py of a docstring alone."""
    return {
        path.name
        for path in (TOP / folder).iterdir()
        if path.suffix in SUFFIXES
        and not (path.name == "__init__.py" and path.read_text().strip().endswith('"""'))
    }


def named(folder):
    """Files of the folder's table: `rows.pyx .pxd` stands for rows.pyx and rows.pxd."""
    section = re.search(rf"^### `{folder}/`\n(.*?)(?=^### |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    assert section is not None, f"docs/architecture.md has no section for {folder}/"
    files = set()
    for cell in re.findall(r"^\| `([^`]+)` \|", section[1], re.MULTILINE):
        first, *suffixes = cell.split()
        files |= {first, *(Path(first).stem + suffix for suffix in suffixes)}
    return files


@pytest.mark.parametrize("folder", FOLDERS)
def test_tree(folder):
    assert named(folder) == sources(folder)


def test_functions_on_the_way_exist():
    code = "\n".join(
        path.read_text() for path in (TOP / "rrmlinear").rglob("*") if path.suffix in SUFFIXES
    )
    way = TEXT.split("## The way of an example")[1].split("## The tree")[0]
    names = set(re.findall(r"\b[A-Za-z_]+\b", " ".join(re.findall(r"`([^`]+)`", way))))
    names -= {"python", "m", "rrmlinear", "s", "c", "data", "libsvm", "t", "model", "out", "B"}
    files = {path.stem for path in (TOP / "rrmlinear").rglob("*")} | {"py", "pyx", "h"}
    missing = {name for name in names - files if not re.search(rf"\b{name}\b", code)}
    assert not missing
