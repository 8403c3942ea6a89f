"""The files that the build installs, and Python's error where nothing was built."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rrmlinear
import rrmlinear.projections

TOP = Path(__file__).resolve().parent.parent
FOLDERS = sorted(path.parent for path in (TOP / "rrmlinear").rglob("meson.build"))
#: Extras for those who work on the package.
FOR_DEVELOPERS = {"test", "lint", "docs"}
INSTALLED = {".py", ".pyi", ".pxd", ".typed"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_meson_lists_every_source(folder):
    build = (folder / "meson.build").read_text()
    named = set(re.findall(r"'([^']*)'", build))
    for path in folder.iterdir():
        if path.suffix in INSTALLED:
            assert path.name in named
        elif path.suffix == ".pyx":
            assert path.stem in named


def test_headers_behind_installed_declarations_are_installed():
    for path in (TOP / "rrmlinear").rglob("*.pxd"):
        build = (path.parent / "meson.build").read_text()
        for header in re.findall(r'extern from "([^"<]+)"', path.read_text()):
            # a header of a room within `simd` is named with its room, for simd is what C searches
            *room, name = header.split("/")
            assert room in ([], [path.parent.name])
            assert f"'{name}'" in build


@pytest.mark.parametrize("package", [rrmlinear, rrmlinear.projections], ids=lambda p: p.__name__)
def test_type_checkers_see_every_name_that_is_loaded_when_first_used(package):
    stub = ast.parse((TOP / Path(*package.__name__.split(".")) / "__init__.pyi").read_text())
    seen = {
        (alias.name, alias.asname): line.module
        for line in stub.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
    public = {name: getattr(package, name) for name in package.__all__ if name != "__version__"}
    # a name is exported from a stub where it is imported as itself
    assert set(seen) == {(name, name) for name in public}
    for (name, _), module in seen.items():
        assert getattr(importlib.import_module(module), name) is public[name]


def project():
    with (TOP / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def test_one_version():
    (version,) = re.findall(r"^project\(.*\bversion: '([^']+)'", (TOP / "meson.build").read_text())
    assert rrmlinear.__version__ == version
    assert project()["dynamic"] == ["version"]
    citation = (TOP / "CITATION.cff").read_text()
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [version]
    (day,) = re.findall(r"^date-released: (\S+)$", citation, re.MULTILINE)
    changelog = (TOP / "CHANGELOG.md").read_text()
    # the newest release, below what is not released yet
    assert re.findall(r"^## (\[\d.*)$", changelog, re.MULTILINE)[0] == f"[{version}] - {day}"


def test_all_has_every_extra_for_users():
    extras = project()["optional-dependencies"]
    (everything,) = extras["all"]
    named = re.fullmatch(r"rrmlinear\[(.*)\]", everything)[1].split(",")
    assert set(named) == set(extras) - {"all", *FOR_DEVELOPERS}


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def source(tmp_path):
    """A source folder where nothing is compiled."""
    folder = tmp_path / "source" / "rrmlinear"
    folder.mkdir(parents=True)
    shutil.copy(TOP / "rrmlinear" / "__init__.py", folder)
    return folder


def test_source_folder_that_is_not_built(source):
    done = run(source.parent, "-S", "-c", "import rrmlinear")
    assert done.returncode == 1
    sentence = done.stderr.strip().splitlines()[-1]
    assert sentence.startswith(f"ImportError: rrmlinear is not compiled in {source}")
    assert "python3 tools/build/bootstrap.py demo" in sentence
    assert "pip install ." in sentence


def test_an_installed_copy_is_found_beside_a_source_folder(source, tmp_path):
    installed = tmp_path / "installed" / "rrmlinear"
    shutil.copytree(source, installed)
    (installed / "_cyutility.py").touch()
    (installed / "train.py").write_text("print(__file__)")
    begin = f"import sys; sys.path.append({str(installed.parent)!r}); "
    done = run(source.parent, "-S", "-c", begin + "import rrmlinear.train")
    assert done.stdout.strip() == str(installed / "train.py"), done.stderr
