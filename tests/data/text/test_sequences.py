"""SVM-hmm's text: sequences read from query ids, written, and what is refused with its line."""

import io
import lzma

import numpy as np
import pytest

from rrmlinear import Problem, write_libsvm
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.data.text.libsvm_format import read_examples, read_sequences

TEXT = b"3 qid:7 1:1 4:0.5\n# the second\n1 qid:7 2:2\n2 qid:-1\n3 qid:9 1:1\n3 qid:9 3:1 # end\n"


def read(text, **options):
    return read_sequences(io.BytesIO(text), **options)


@pytest.mark.parametrize("block_size", [5, 20, 1000])
def test_runs_of_equal_query_ids_are_sequences(block_size):
    problem = read(TEXT, block_size=block_size)
    assert problem.starts.tolist() == [0, 2, 3, 5]
    assert problem.labels.tolist() == [3, 1, 2]
    assert problem.label.tolist() == [0, 1, 2, 0, 0]
    assert problem.rows.shape == (5, 4)


def test_what_is_written_reads_back():
    chance = np.random.default_rng(0)
    lengths = chance.integers(1, 9, 300)
    X = [chance.normal(size=(length, 6)) * (chance.random((length, 6)) < 0.5) for length in lengths]
    y = [chance.integers(-3, 4, length) for length in lengths]
    problem = SequenceProblem.from_lists(X, y)
    text = io.BytesIO()
    write_libsvm(text, problem.to_problem())
    for threads in (1, 3):
        again = read(text.getvalue(), block_size=500, threads=threads, n_features=6)
        assert (again.starts == problem.starts).all()
        assert (again.labels[again.label] == problem.labels[problem.label]).all()
        dense = dense_of(again)
        np.testing.assert_array_equal(dense, np.concatenate(X))


def dense_of(problem):
    rows = problem.rows
    dense = np.zeros(rows.shape)
    dense[np.repeat(np.arange(len(dense)), rows.lengths()), rows.indices] = rows.values
    return dense


def test_names_are_no_numbers():
    problem = SequenceProblem.from_lists([[[1.0]]], [["B-NP"]])
    with pytest.raises(ValueError, match=r"LIBSVM text has numbers as labels, not .*B-NP"):
        problem.to_problem()


@pytest.mark.parametrize("block_size", [5, 1000])
@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (b"1 qid:1 1:1\n2 qid:2\n# x\n2 qid:2\n1 qid:1 1:1\n", 5, "qid:1 comes back after another"),
        (b"# x\n1 qid:1\n1 qid:2\n\t# y\n# z\n1 qid:1\n1 qid:3\n1 qid:2\n", 6, "qid:1 comes back"),
        (b"1 1:1\n2 2:1\n", 1, "no qid:, which tells the sequence"),
        (b"# x\n1\n", 2, "no qid:, which tells the sequence"),
        (b"1 qid:1 1:1\n2 2:1\n", 2, "no qid: but those before have one"),
        (b"1 qid:1 1:1\n\n2 qid:2 2:1\n", 2, "the line is empty"),
        (b"1 qid:1 2:1 1:1\n", 1, "the index '1' is not above 2"),
        (b"1 qid:1\n1 qid:a\n", 2, "'qid:a' where qid: and a whole number"),
    ],
)
def test_what_is_refused(text, line, sentence, block_size):
    with pytest.raises(LibsvmFormatError, match=sentence) as caught:
        read(text, block_size=block_size)
    assert caught.value.line == line


def test_labels_are_whole_numbers():
    with pytest.raises(ValueError, match=r"label 0\.5 of example 2 is not a whole number"):
        read(b"1 qid:1\n0.5 qid:1\n")


def test_examples_have_no_query_ids(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"# x\n1 1:1\n")
    assert read_examples(str(path), 1, True).query_ids is None
    path.write_bytes(b"# x\n1 qid:3 1:1\n")
    with pytest.raises(LibsvmFormatError, match="a qid:, which only losses of sequences") as caught:
        read_examples(str(path), 1, True)
    assert caught.value.line == 2


def test_the_words_read_back(data_set, shared_data):
    letters = data_set("ocr-letters")
    with lzma.open(shared_data("ocr-letters.seq")) as file:
        words = np.loadtxt(file, dtype=np.int64)
    text = io.BytesIO()
    write_libsvm(text, Problem(letters.rows, letters.labels, None, words))
    problem = read_sequences(io.BytesIO(text.getvalue()))
    assert (problem.n_sequences, problem.n_positions, problem.n_labels) == (6877, 52152, 26)
    assert (problem.labels[problem.label] == letters.labels).all()
    assert (np.repeat(words[problem.starts[:-1]], np.diff(problem.starts)) == words).all()
