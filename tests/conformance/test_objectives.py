"""Our objective at the same -e is not above LIBLINEAR's, whose rule looks elsewhere."""

import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from conftest import written
from test_training import objective

from rrmlinear import Model, read_libsvm

#: How far we may be above; and of `-s 5`, whose bound is that of a first sweep.
EXCESS, EXCESS_OF_SWEEPS = 1e-3, 1e-4
#: The first examples of a set that are taken.
MOST = 1000
DATA = Path(os.environ.get("RRMLINEAR_DATA", "absent"))
REAL = (
    "heart_scale", "australian_scale", "breast-cancer", "splice", "sonar_scale", "leu",
    "colon-cancer", "german.numer", "svmguide1", "dna.scale", "satimage.scale", "a9a",
)  # fmt: skip
BIASES = {"0": ("", "-B 1", "-B 1 -R"), "2": ("", "-B 1", "-B 1 -R"), "5": ("", "-B 1 -R")}
CHOICES = [
    (number, bias)
    for number in ("0", "1", "2", "3", "5", "6", "7")
    for bias in BIASES.get(number, ("", "-B 1"))
]


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Sets on which features tell much the same, of zeros and ones, wide, and of three classes, and
    one of columns of unlike length.
    """
    folder, rng = tmp_path_factory.mktemp("made"), np.random.default_rng(6)
    ones = (rng.random((1500, 60)) < 0.2) * 1.0
    score = ones @ rng.normal(size=60) + rng.normal(size=1500)
    written(folder / "ones", np.where(score > np.quantile(score, 0.97), 1, -1), ones)
    wide = rng.normal(size=(40, 1)) * rng.normal(size=400) + rng.normal(size=(40, 400))
    written(folder / "wide", np.where(wide[:, :5].sum(1) > 0, 1, -1), wide)
    three = np.repeat(np.eye(3), 4, axis=1)[rng.integers(0, 3, 600)] + (rng.random((600, 12)) < 0.3)
    written(folder / "three", three[:, ::4].argmax(1) + 1, three)
    uneven = rng.normal(size=(800, 30)) * 10 ** rng.uniform(-1, 1, 30)
    score = uneven @ (rng.normal(size=30) / np.abs(uneven).mean(axis=0)) + 2 * rng.normal(size=800)
    written(folder / "uneven", np.where(score > 0, 1, -1), uneven)
    return folder


def assert_not_above(path, number, bias, program, ours):
    problem = read_libsvm(str(path)).with_bias(1.0 if bias else -1.0)
    for tolerance in ("", *(["-e 0.1"] if number == "5" else []), "-e 0.001"):
        words = ["-s", number, *bias.split(), *tolerance.split()]
        assert program.train("-q", *words, path, "theirs").code == 0
        assert ours.train("-q", *words, path, "ours").code == 0
        models = Model.load("ours"), Model.load("theirs")
        mine, theirs = (objective(words, model, problem) for model in models)
        excess = EXCESS_OF_SWEEPS if number == "5" else EXCESS
        assert mine <= theirs * (1 + excess), (words, mine / theirs - 1)


@pytest.mark.parametrize(("number", "bias"), CHOICES)
@pytest.mark.parametrize("name", ["ones", "wide", "three", "uneven"])
def test_made_sets(name, number, bias, program, ours, made, folder):
    assert_not_above(made / name, number, bias, program, ours)


@pytest.mark.parametrize(("number", "bias"), CHOICES)
@pytest.mark.parametrize("name", REAL)
def test_real_sets(name, number, bias, program, ours, folder):
    packed = DATA / f"{name}.xz"
    if not packed.exists():
        pytest.skip("RRMLINEAR_DATA names no folder with this set")
    path = folder / "real-set"
    lines = lzma.decompress(packed.read_bytes()).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:MOST]))
    assert_not_above(path, number, bias, program, ours)
