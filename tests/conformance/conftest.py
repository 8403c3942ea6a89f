"""LIBLINEAR's programs as peers, and small data sets in a folder of their own."""

import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from programs import BuiltProgram, Library, Ours, Program  # noqa: E402


def written(path, labels, X):
    """A LIBSVM text of rows, without their zeros."""
    with open(path, "w") as file:
        for y, row in zip(labels, X, strict=True):
            pairs = " ".join(f"{j + 1}:{value:.6g}" for j, value in enumerate(row) if value)
            file.write(f"{y:g} {pairs}\n")


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with data sets, by their names."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(8)
    X = rng.normal(size=(150, 8)) * (rng.random((150, 8)) < 0.8) + [0.3, 0, 0, 0, 0, 0, 0, -0.2]
    score = X @ rng.normal(size=8) + rng.normal(size=150)
    order = np.argsort(score > 0, kind="stable")
    signs = np.where(score > 0, 1, -1)
    written(folder / "two", signs[order], X[order])  # -1 comes first
    written(folder / "plus", signs[order[::-1]], X[order[::-1]])
    written(folder / "three", np.array([3, 1, 2])[np.digitize(score, [-1.0, 1.0])], X)
    written(folder / "real", score + 2.0, X)
    written(folder / "shares", 1 / (1 + np.exp(-score)), X)
    wide = rng.normal(size=(60, 300)) * (rng.random((60, 300)) < 0.1)
    written(folder / "wide", np.where(wide @ rng.normal(size=300) > 0, 1, -1), wide)
    written(folder / "cloud", signs, np.abs(X) + 1)
    written(folder / "one", [1, 1, 1], X[:3])
    (folder / "empty").write_text("")
    return folder


@pytest.fixture
def folder(data, tmp_path, monkeypatch):
    """A working folder with links to the data."""
    for path in data.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ours():
    return Ours()


def installed(kind):
    """LIBLINEAR of this kind; the test is skipped where it is absent."""
    peer = kind()
    if not peer.is_there():
        pytest.skip(f"{peer.name} is not installed")
    return peer


@pytest.fixture(params=[Program, BuiltProgram, Library], ids=["program", "built", "library"])
def liblinear(request):
    """LIBLINEAR, where it is installed."""
    return installed(request.param)


@pytest.fixture(params=[Program, BuiltProgram], ids=["program", "built"])
def program(request):
    """LIBLINEAR's programs, where they are installed."""
    return installed(request.param)


@pytest.fixture(params=[BuiltProgram, Library], ids=["built", "library"])
def newest(request):
    """LIBLINEAR 2.50, where it is installed."""
    return installed(request.param)
