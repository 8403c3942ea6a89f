"""Seeded sets with any number of labels a row."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import load_npz

from rrmlinear import read_multilabel
from rrmlinear.data.array_rows import csr_of


@pytest.fixture
def many_labels(script):
    return script("many_labels")


@pytest.fixture
def small(many_labels, monkeypatch):
    """A small set by the name of a large one."""
    sizes = many_labels.ManyLabels(400, 100, 900, 50, 30, 5.4)
    monkeypatch.setitem(many_labels.SETS, "eurlex-like", sizes)
    return many_labels


def test_text_and_arrays_are_the_same(small, tmp_path):
    halves = small.load_halves("eurlex-like")
    texts = small.write("eurlex-like", tmp_path)
    arrays = small.write("eurlex-like", tmp_path, arrays=True)
    assert [path.name for path in texts] == ["eurlex-like.libsvm", "eurlex-like.libsvm.t"]
    for i, (X, Y) in enumerate(halves):
        read = read_multilabel(texts[i], np.float32, n_features=900, names=np.arange(50))
        assert_array_equal(csr_of(read.rows).toarray(), X.toarray())
        assert_array_equal(read.labels.matrix().toarray(), Y.toarray())
        assert_array_equal(load_npz(arrays[2 * i]).toarray(), X.toarray())
        assert_array_equal(load_npz(arrays[2 * i + 1]).toarray(), Y.toarray())


def test_the_command_makes_them(script, monkeypatch, tmp_path, capsys):
    make = script("make")
    sizes = make.many_labels.ManyLabels(40, 10, 90, 5, 10, 2.0)
    monkeypatch.setitem(make.many_labels.SETS, "amazon-like", sizes)
    assert make.main(["amazon-like", "--npz", "--folder", str(tmp_path)]) == 0
    names = [f"amazon-like{part}.{which}.npz" for part in ("", ".t") for which in "XY"]
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / name) for name in names]
    with pytest.raises(SystemExit):
        make.main(["iris", "--npz", "--folder", str(tmp_path)])
    assert "--npz is for sets of many labels; iris has one" in capsys.readouterr().err
