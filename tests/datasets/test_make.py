"""scikit-learn's sets as LIBSVM text."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("sklearn")
from sklearn.datasets import load_svmlight_file

SIZES = {
    "digits": (898, 899, 64, range(10)),
    "iris": (75, 75, 4, range(3)),
    "wine": (89, 89, 13, range(3)),
    "breast_cancer": (284, 285, 30, (-1, 1)),
    "diabetes": (221, 221, 10, None),
}
READY = ["digits.libsvm", "digits.libsvm.t", "iris.libsvm", "iris.libsvm.t"]


@pytest.fixture
def make(script):
    return script("make")


@pytest.mark.parametrize("name", READY)
def test_the_ready_files_are_what_the_command_writes(make, name, datasets_folder, tmp_path):
    make.make(name.partition(".")[0], tmp_path)
    assert (tmp_path / name).read_bytes() == (datasets_folder / name).read_bytes()


@pytest.mark.parametrize("name", SIZES)
def test_files_read_back_as_the_halves(make, name, tmp_path):
    *lengths, features, classes = SIZES[name]
    halves = make.load_halves(name)
    for path, (X, y), length in zip(make.make(name, tmp_path), halves, lengths, strict=True):
        rows, labels = load_svmlight_file(str(path), n_features=features, zero_based=False)
        assert rows.shape == (length, features)
        assert_array_equal(rows.toarray(), X)
        assert_array_equal(labels, y)
        if classes is not None:
            assert_array_equal(np.unique(labels), list(classes))


def test_without_scikit_learn_the_message_names_it(make, hide_module, tmp_path, capsys):
    hide_module("sklearn")
    assert make.main(["iris", "--folder", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "make.py needs scikit-learn: pip install scikit-learn\n"
    assert list(tmp_path.iterdir()) == []
