"""`rrmlinear`: all commands by one name, help of one screen, and completion."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rrmlinear.cli import overview
from rrmlinear.cli.command import run
from rrmlinear.cli.leaving import LeaveError

SCREEN = 24, 100


def test_a_word_that_is_no_command_is_refused():
    with pytest.raises(LeaveError, match=r"no command trian \(did you mean train\?\)"):
        overview.main(["trian"])


def test_every_command_is_there_with_its_purpose(capsys):
    overview.main([])
    lines = capsys.readouterr().out.splitlines()
    for name, (_, purpose) in overview.COMMANDS.items():
        assert f"  rrmlinear {name:10} {purpose}" in lines
    with (Path(__file__).parents[2] / "pyproject.toml").open("rb") as file:
        scripts = tomllib.load(file)["project"]["scripts"]
    assert {name.removeprefix("rrmlinear-") for name in scripts} - {"rrmlinear"} <= set(
        overview.COMMANDS
    )
    assert len(lines) <= SCREEN[0]


@pytest.mark.parametrize("command", ["train", "scale", "path", "plan", "plot", "info"])
def test_help_fits_a_screen(command, capsys):
    assert run(overview.COMMANDS[command][0], ["-h"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"Usage: {command} [options]")
    assert "1 (default)" in lines[2] if command == "train" else "--version : show" in str(lines)
    assert len(lines) <= SCREEN[0]
    assert max(map(len, lines)) <= SCREEN[1]


def test_one_name_runs_every_command(iris, folder):
    words = [sys.executable, "-m", "rrmlinear"]
    subprocess.run([*words, "train", "-q", iris, "m"], check=True)
    done = subprocess.run(
        [*words, "predict", iris, "m", "o"], check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith("Accuracy = ")


def test_a_shell_completes_commands_options_and_values(capsys):
    pytest.importorskip("shtab", reason="completion needs shtab")
    assert run("overview", ["--print-completion", "fish"]) == 1
    assert "takes one of bash, zsh, tcsh" in capsys.readouterr().err
    assert run("overview", ["--print-completion", "bash"]) == 0
    script = capsys.readouterr().out
    for word in (*overview.COMMANDS, "--report-test", "weston-watkins", "--top-k"):
        assert word in script
    bash = shutil.which("bash")
    if bash is not None:
        subprocess.run([bash, "-n"], input=script, text=True, check=True)


def test_completion_without_its_package_is_told(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert run("overview", ["--print-completion", "bash"]) == 1
    assert "pip install 'rrmlinear[completion]'" in capsys.readouterr().err
