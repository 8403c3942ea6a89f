"""Files of other formats and spellings: one sentence, with the way."""

import numpy as np
import pytest
from scipy import sparse

from rrmlinear import read_libsvm
from rrmlinear.cli.command import run
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError

OTHERS = {
    "matrix.mtx": (b"%%MatrixMarket matrix coordinate real general\n1 1 1\n", "a Matrix Market"),
    "cells.h5": (b"\x89HDF\r\n\x1a\n\0\0", "an HDF5 file: write its matrix as .npy or .npz"),
    "X.npy": (b"\x93NUMPY\1\0", "an array of NumPy: convert makes a container of it"),
    "X.npz": (b"PK\3\4\0\0", "an archive, such as .npz: convert makes a container"),
    "table.parquet": (b"PAR1\0\0", "a table of Parquet: convert makes a container of it"),
    "table.feather": (b"ARROW1\0\0", "a table of Arrow: convert makes a container of it"),
}
READERS = {
    "training": ("-q", "data", "m"),
    "prediction": ("-q", "data", "model", "out"),
    "information": ("-q", "data"),
}


@pytest.fixture
def said(folder, capsys):
    """The lines on standard error of a command that fails."""
    (folder / "two").write_text("1 1:1\n-1 1:-1\n")
    assert run("training", ["-q", "two", "model"]) == 0

    def call(command, *words):
        assert run(command, list(words)) == 1
        return capsys.readouterr().err.splitlines()

    return call


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("command", READERS)
def test_formats_that_are_no_text(name, command, said, folder):
    begin, sentence = OTHERS[name]
    (folder / name).write_bytes(begin)
    words = [name if word == "data" else word for word in READERS[command]]
    first, second = said(command, *words)
    assert first == "Wrong input format at line 1"
    assert second.startswith(f"{name}, line 1, column 1: found {sentence}")


@pytest.mark.parametrize("command", READERS)
def test_an_index_0(command, said, folder):
    (folder / "data").write_text("1 0:1 1:2\n")
    assert said(command, *READERS[command])[1] == (
        "data, line 1, column 3: the index '0' is below 1, the first allowed; features count from "
        "1: add 1 to every index"
    )
    with pytest.raises(LibsvmFormatError) as caught:
        read_libsvm("data")
    assert caught.value.__notes__ == ["zero_based=True reads indices from 0"]


def test_several_labels_of_an_example(folder):
    (folder / "data").write_text("1,3 1:2\n")
    with pytest.raises(LibsvmFormatError, match="; read_multilabel reads examples with several l"):
        read_libsvm("data")


def test_matrices_that_convert_does_not_take(said, folder):
    np.save("y.npy", np.ones(3))
    sparse.save_npz("X.npz", sparse.coo_matrix(np.eye(3)))
    assert said("conversion", "--labels", "y.npy", "X.npz", "X.rrm") == [
        "ERROR: X.npz holds a coo matrix; save it as CSR (its tocsr())"
    ]


def test_tables_that_convert_does_not_take(said, folder):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.feather import write_feather

    words = pyarrow.array(["a", "b"]).dictionary_encode()
    write_feather(pyarrow.table({"label": [1.0, 2.0], "x": words}), "words.feather")
    assert said("conversion", "words.feather", "X.rrm") == [
        "ERROR: column 'x' of words.feather holds a dictionary, not numbers; write its entries as "
        "numbers, in pandas by .astype or .cat.codes"
    ]
    columns = [pyarrow.array([1.0, 2.0])] * 3
    write_feather(pyarrow.table(columns, names=["label", "x", "x"]), "same.feather")
    assert said("conversion", "same.feather", "X.rrm") == [
        "ERROR: same.feather has 2 columns 'x'; give each column a name of its own"
    ]
