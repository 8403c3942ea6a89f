"""The files that the build installs, and Python's error where nothing was built."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rrmlinear

TOP = Path(__file__).resolve().parent.parent
FOLDERS = sorted(path.parent for path in (TOP / "rrmlinear").rglob("meson.build"))
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
            assert f"'{header}'" in build


def test_one_version():
    with (TOP / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    meson = re.search(r"version: '([^']+)'", (TOP / "meson.build").read_text())
    assert rrmlinear.__version__ == project["version"] == meson[1]


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def test_source_folder_that_is_not_built(tmp_path):
    (tmp_path / "rrmlinear").mkdir()
    shutil.copy(TOP / "rrmlinear" / "__init__.py", tmp_path / "rrmlinear")
    done = run(tmp_path, "-S", "-c", "import rrmlinear")
    assert done.returncode == 1
    sentence = done.stderr.strip().splitlines()[-1]
    assert sentence.startswith(f"ImportError: rrmlinear is not compiled in {tmp_path}/rrmlinear")
    assert "python3 tools/build/bootstrap.py demo" in sentence
    assert "python -P" in sentence
