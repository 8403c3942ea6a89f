"""The first command of the README says in one sentence why it cannot begin."""

import importlib.metadata
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

TOP = Path(__file__).resolve().parents[3]
BOOTSTRAP = str(TOP / "tools" / "build" / "bootstrap.py")


def bootstrap(*arguments):
    return subprocess.run(
        [sys.executable, BOOTSTRAP, *arguments],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )


def test_bootstrap_leaves_other_folders_alone(tmp_path):
    (tmp_path / "mine").write_text("kept")
    done = bootstrap("demo", "--environment", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"bootstrap: {tmp_path} is there and is no virtual environment\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_bootstrap_without_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    done = bootstrap("demo", "--environment", str(tmp_path / "environment"))
    assert done.returncode == 1
    assert done.stderr.startswith("bootstrap: there is no C compiler (looked for cc, gcc, clang)")


def test_bootstrap_refuses_arguments_it_would_drop():
    done = bootstrap("demo", "extra")
    assert done.returncode == 2
    assert "demo takes no further arguments, got extra" in done.stderr


def test_extras_that_name_others_bring_what_those_need(tool):
    requirements = tool("packages").requirements
    project = {
        "name": "rrmlinear",
        "dependencies": ["numpy>=2.0"],
        "optional-dependencies": {
            "report": ["plotly>=6", "numpy>=2.0"],
            "sklearn": ["scikit-learn>=1.6"],
            "all": ["rrmlinear[sklearn,report]"],
        },
    }
    needed = requirements(project, ("all",))
    assert needed == ["numpy>=2.0", "scikit-learn>=1.6", "plotly>=6"]
    assert requirements(project, ()) == ["numpy>=2.0"]


def test_programs_compile_sources_once_and_in_the_environment(tool, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment = tool("bootstrap").Environment(tmp_path)
    environment.programs.mkdir()
    (environment.programs / "python").symlink_to(sys.executable)
    environment.run(
        "python", "-c", "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"
    )
    assert capfd.readouterr().out.endswith(f"\nFalse {tmp_path / 'bytecode'}\n")


@pytest.mark.parametrize(("version", "found"), [("22.2.2", False), ("22.3", True), (None, False)])
def test_a_pip_of_this_python_installs_where_it_can(tool, monkeypatch, version, found):
    packages = tool("packages")

    def known(_):
        if version is None:
            raise importlib.metadata.PackageNotFoundError
        return version

    monkeypatch.setattr(importlib.metadata, "version", known)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: SimpleNamespace(origin=__file__))
    mine = [sys.executable, "-m", "pip", "--python", "other"]
    words = packages.install_command("other")
    assert words[: words.index("install")] == (mine if found else ["other", "-m", "pip"])
    assert not packages.is_compiled() or found
