"""Files of other formats and spellings: one sentence, with the way."""

import re

import pytest

from rrmlinear import read_libsvm
from rrmlinear.cli.command import run
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError

OTHERS = {
    "matrix.mtx": (b"%%MatrixMarket matrix array real general\n1 1\n", "a Matrix Market file"),
    "cells.h5": (b"\x89HDF\r\n\x1a\n\0\0", "an HDF5 file"),
    "X.npy": (b"\x93NUMPY\1\0", "an array of NumPy"),
    "X.npz": (b"PK\3\4\0\0", "an archive, such as .npz"),
    "table.parquet": (b"PAR1\0\0", "a table of Parquet"),
    "table.feather": (b"ARROW1\0\0", "a table of Arrow"),
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
def test_what_is_left_of_other_formats_is_one_sentence(name, command, said, folder):
    (folder / name).write_bytes(OTHERS[name][0])
    lines = said(command, *[name if word == "data" else word for word in READERS[command]])
    assert len(lines) == 1
    assert lines[0].startswith("ERROR: ")
    assert name in lines[0]


@pytest.mark.parametrize("name", OTHERS)
def test_read_libsvm_says_what_reads_other_formats(name, folder):
    begin, sentence = OTHERS[name]
    (folder / name).write_bytes(begin)
    told = f"{name}, line 1, column 1: found {sentence}: Problem.open and the commands read it"
    with pytest.raises(LibsvmFormatError, match=re.escape(told)):
        read_libsvm(name)


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
    with pytest.raises(LibsvmFormatError, match="labels of an example are for models of") as caught:
        read_libsvm("data")
    assert caught.value.__notes__ == ["read_multilabel reads examples with several labels"]


def test_a_model_in_the_place_of_data(said, folder):
    (folder / "data").write_text("1,3 1:2\n3 1:1\n")
    assert run("training", ["-q", "data", "labels"]) == 0
    for model, kind in (("model", "a model"), ("labels", "a model of many labels")):
        told = f"{model}, line 1, column 1: found {kind}: predict takes it, behind the data"
        assert said("information", model)[1] == told


def test_tables_that_convert_does_not_take(said, folder):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.feather import write_feather

    words = pyarrow.array(["a", "b"]).dictionary_encode()
    write_feather(pyarrow.table({"label": [1.0, 2.0], "x": words}), "words.feather")
    assert said("conversion", "words.feather", "X.rrm") == [
        "ERROR: column 'x' of words.feather holds string, not numbers (row 0 has 'a'); "
        "--categories x makes a column of zeros and ones of each of its levels"
    ]
    columns = [pyarrow.array([1.0, 2.0])] * 3
    write_feather(pyarrow.table(columns, names=["label", "x", "x"]), "same.feather")
    assert said("conversion", "same.feather", "X.rrm") == [
        "ERROR: same.feather has 2 columns 'x'; give each column a name of its own"
    ]
