"""The commands run in this process, in a folder of their own."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from rrmlinear.cli.command import run

DATASETS = Path(__file__).resolve().parents[2] / "datasets"


@pytest.fixture(scope="session")
def iris():
    return str(DATASETS / "iris.libsvm")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(folder, capsys):
    def call(command, *arguments):
        code = run(command, [str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def train(folder, capsys):
    """Runs `train` with the arguments; has code, out and err."""
    return _command("training", capsys)


@pytest.fixture
def predict(folder, capsys):
    """Runs `predict` with the arguments; has code, out and err."""
    return _command("prediction", capsys)


@pytest.fixture
def convert(folder, capsys):
    """Runs `convert` with the arguments; has code, out and err."""
    return _command("conversion", capsys)


@pytest.fixture
def info(folder, capsys):
    """Runs `info` with the arguments; has code, out and err."""
    return _command("information", capsys)


def _command(name, capsys):
    def call(*arguments):
        code = run(name, [str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    return call
