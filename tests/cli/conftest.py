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


def _fixture(name):
    """Runs the command of this name with the arguments; has code, out and err. ``error`` gives the
    last alone of one that ends with code 1 and no output, ``done`` all of one that ends with 0.
    """

    @pytest.fixture
    def command(folder, capsys):
        return _command(name, capsys)

    return command


train, predict = _fixture("training"), _fixture("prediction")
convert, info = _fixture("conversion"), _fixture("information")


def _command(name, capsys):
    def call(*arguments):
        code = run(name, [str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    def error(*arguments):
        ended = call(*arguments)
        assert (ended.code, ended.out) == (1, "")
        return ended.err

    def done(*arguments):
        ended = call(*arguments)
        assert ended.code == 0, ended.err
        return ended

    call.error, call.done = error, done
    return call
