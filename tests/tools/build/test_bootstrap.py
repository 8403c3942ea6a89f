"""The first command of the README says in one sentence why it cannot begin."""

import subprocess
import sys
from pathlib import Path

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


def test_programs_compile_sources_once_and_in_the_environment(tool, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment = tool("bootstrap").Environment(tmp_path)
    environment.programs.mkdir()
    (environment.programs / "python").symlink_to(sys.executable)
    environment.run(
        "python", "-c", "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"
    )
    assert capfd.readouterr().out.endswith(f"\nFalse {tmp_path / 'bytecode'}\n")
