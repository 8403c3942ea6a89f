"""The modules that the build makes, and Python's error where nothing was built."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from package_sources import PACKAGE, name_of, sources

import rrmlinear
import rrmlinear.projections

TOP = Path(__file__).resolve().parent.parent
#: Extras for those who work on the package.
FOR_DEVELOPERS = {"test", "lint", "docs"}


def test_every_module_is_built():
    text = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("meson.build"))
    lists = re.findall(r"^  '([\w/]+)': \[([^]]*)\],$", text, re.MULTILINE)
    built = {
        f"{folder}/{name}.pyx" for folder, names in lists for name in re.findall(r"\w+", names)
    }
    assert built == {name_of(path) for path in sources(".pyx")}


#: Folders and compiled modules that manuals and public classes name.
PUBLIC = re.compile(r"(losses|regularizers)/|data/rows\.")


def test_public_compiled_modules_alone_have_stubs():
    for path in sources(".pyx"):
        stub = path.with_suffix(".pyi")
        assert stub.is_file() == bool(PUBLIC.match(name_of(path))), name_of(stub)
        public = re.findall(
            r"^(?:def|cdef class) ([a-zA-Z]\w*)", path.read_text(encoding="utf-8"), re.M
        )
        text = stub.read_text(encoding="utf-8") if stub.is_file() else ""
        for name in public if text else ():
            assert re.search(rf"^(?:def|class) {name}\b", text, re.M), (
                f"{name_of(stub)} leaves out {name}"
            )


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
