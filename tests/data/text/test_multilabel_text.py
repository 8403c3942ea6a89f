"""LIBSVM text with any number of labels a line."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rrmlinear import (
    MultilabelProblem,
    Problem,
    read_libsvm,
    read_multilabel,
    write_libsvm,
    write_multilabel,
)
from rrmlinear.data.array_rows import csr_of


def read(text, **options):
    return read_multilabel(io.BytesIO(text), **options)


def lists_of(problem):
    """The labels of each row, by name."""
    matrix = problem.labels.matrix()
    names = problem.labels.names
    return [names[matrix[[i]].indices].tolist() for i in range(problem.labels.n_rows)]


def dense(problem):
    return csr_of(problem.rows).toarray()


def test_whole_numbers_are_sorted_by_value():
    problem = read(b"30,4 1:0.5 3:2\n4 2:1\n+4,100 1:1\n")
    assert problem.labels.names.dtype == np.int64
    assert problem.labels.names.tolist() == [4, 30, 100]
    assert lists_of(problem) == [[4, 30], [4], [4, 100]]
    assert_array_equal(dense(problem), [[0.5, 0, 2], [0, 1, 0], [1, 0, 0]])


def test_one_word_makes_all_labels_text():
    problem = read("10,uk 1:0.5\n9,Wörter,c# 2:1\n".encode())
    assert problem.labels.names.tolist() == ["10", "9", "Wörter", "c#", "uk"]
    assert lists_of(problem) == [["10", "uk"], ["9", "Wörter", "c#"]]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("block_size", [1, 10, 1 << 19])
def test_rows_without_labels_or_features(end, block_size):
    lines = [b"3,17 1:0.5", b" 1:0.25", b"1:0.125 2:1", b"", b" ", b"\t 2:7", b"17", b"  1:1"]
    problem = read(end.join(lines) + end, block_size=block_size)
    assert lists_of(problem) == [[3, 17], [], [], [], [], [], [17], []]
    expected = [[0.5, 0], [0.25, 0], [0.125, 1], [0, 0], [0, 0], [0, 7], [0, 0], [1, 0]]
    assert_array_equal(dense(problem), expected)


def test_comment_lines_are_no_rows():
    problem = read(b"# of labels\n1,2 1:1 # first\n  # more\n#\n 2:1\n2")
    assert lists_of(problem) == [[1, 2], [], [2]]
    assert_array_equal(dense(problem), [[1, 0], [0, 1], [0, 0]])


def test_a_label_counts_once_in_a_row():
    assert lists_of(read(b"3,3,03 1:1\n4,3 1:1\n")) == [[3], [3, 4]]


def test_labels_of_any_length_and_rows_in_many_blocks(tmp_path):
    random = np.random.default_rng(0)
    lists = [random.permutation(5000)[: random.integers(0, 12)].tolist() for _ in range(2000)]
    lists[700] = list(range(5000))
    X = random.random((2000, 3))
    given = MultilabelProblem.from_lists(X, lists)
    path = tmp_path / "many"
    write_multilabel(path, given)
    for options in ({}, {"block_size": 1000, "threads": 2}):
        found = read_multilabel(path, **options)
        assert_array_equal(found.labels.names, given.labels.names)
        assert (found.labels.matrix() != given.labels.matrix()).nnz == 0
        assert_array_equal(dense(found), X)


def test_the_features_are_those_of_the_reader_of_one_label(tmp_path):
    random = np.random.default_rng(1)
    problem = Problem.from_arrays(
        random.random((50, 4)) * (random.random((50, 4)) < 0.5), range(50)
    )
    write_libsvm(tmp_path / "one", problem)
    found = read_multilabel(tmp_path / "one", dtype=np.float32, n_features=6)
    expected = read_libsvm(tmp_path / "one", dtype=np.float32, n_features=6)
    assert found.rows.values.dtype == np.float32
    assert_array_equal(dense(found), expected.to_scipy().toarray())
    assert lists_of(found) == [[i] for i in range(50)]


def test_a_header_tells_sizes_and_indices_from_zero():
    problem = read(b"3 5 4\n0,2 0:1 4:2\n 3:1\n2 \n")
    assert problem.labels.names.tolist() == [0, 1, 2, 3]
    assert lists_of(problem) == [[0, 2], [], [2]]
    assert_array_equal(dense(problem), [[1, 0, 0, 0, 2], [0, 0, 0, 1, 0], [0] * 5])
    assert read(b"1 5 4\n0 1:1\n", n_features=7).n_features == 7
    with pytest.raises(ValueError, match="has 5 features, and n_features is 4"):
        read(b"1 5 4\n0 1:1\n", n_features=4)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"3 5 4\n0 1:1\n", "has 1 examples, but its header says 3"),
        (b"2 5 4\n0 1:1\n4 1:1\n", "line 3, column 1: the label '4' is not among the 4 labels"),
        (b"1 5 4\n0,uk 1:1\n", "line 2, column 3: the label 'uk' is not among the 4 labels"),
        (b"2 5 4\n0 1:1\n1,2 3:1 5:1\n", "line 3, column 9: the index '5' is not among the 5"),
        (b"1 5 4\n 1:1 x:1\n", "line 2, column 6: found 'x' where a feature index is expected"),
        (b"1\r2 1:1\n", "column 2: found a CR inside the line"),
        (b"1,\xff 1:1\n", "column 3: the label '\ufffd' is no text in UTF-8"),
        (b"", "has no examples"),
        (b"# nothing\n", "has no examples"),
    ],
)
def test_text_that_is_none_or_does_not_fit_its_header(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(text)


def test_names_are_kept_in_their_order():
    problem = read(b"uk 1:1\n\n", names=["sports", "uk", "art"])
    assert problem.labels.names.tolist() == ["sports", "uk", "art"]
    assert lists_of(problem) == [["uk"], []]
    assert lists_of(read(b"07,2 1:1\n", names=[7, 2])) == [[7, 2]]


@pytest.mark.parametrize("end", ["", "\r"])
@pytest.mark.parametrize(
    ("line", "column", "sentence"),
    [
        ("3,,4 1:1", 3, "a label is missing at this comma"),
        (",4 1:1", 1, "a label is missing at this comma"),
        ("3,4,", 5, "a label is missing at this comma"),
        ("3, 4 1:1", 3, "found a blank after a comma"),
        ("3,-1 1:1", 3, "the label '-1' is negative"),
        ("3,9 1:1", 3, "the label '9' is not among the 3 labels known"),
        ("3 1:1 2:x", 9, "found 'x' where the feature's value is expected"),
        ("3,4 1:1 2:x", 11, "found 'x' where the feature's value is expected"),
        (" 1:1 2:x", 8, "found 'x' where the feature's value is expected"),
        ("1:1 2:x", 7, "found 'x' where the feature's value is expected"),
        ("x:1 2:x", 1, "found 'x' where a feature index is expected"),
        ("3 0:1", 3, "the index '0' is below 1"),
        ("3 qid:1 1:1", 1, "this example has a qid"),
    ],
)
@pytest.mark.parametrize("block_size", [8, 1 << 19])
def test_errors_tell_line_and_column(line, column, sentence, end, block_size):
    before = "4 1:1\n 1:1\n# 3\n\n4:1\n"
    after = "3 1:x\n-3 1:1\n"
    text = f"{before}{line}{end}\n{after}".encode()
    with pytest.raises(ValueError, match=sentence) as caught:
        read(text, names=[3, 4, 5], block_size=block_size)
    assert (caught.value.line, caught.value.column) == (6, column)


def test_what_is_passed_over_is_told_in_its_column():
    with pytest.warns(UserWarning, match=r"line 2, column 5: found 'x' where index:value"):
        read(b"1,2 1:1\n1:1 x\n")
    with pytest.raises(ValueError, match="line 2, column 5"):
        read(b"1,2 1:1\n1:1 x\n", strict=True)


WORDS = MultilabelProblem.from_lists(
    np.array([[0.1, 0], [1e-40, 3], [0, 0], [0, 0]], dtype=np.float64),
    [["uk", "c#"], [], ["sports"], []],
)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_what_is_written_reads_back(tmp_path, suffix):
    path = tmp_path / f"words{suffix}"
    write_multilabel(path, WORDS)
    found = read_multilabel(path)
    assert lists_of(found) == lists_of(WORDS)
    assert_array_equal(dense(found), dense(WORDS))
    if not suffix:
        assert path.read_text().splitlines()[0] == "c#,uk 1:0.1"
        assert path.read_text().splitlines()[2:] == ["sports", ""]


def test_a_header_keeps_labels_and_features_that_no_row_has(tmp_path):
    Y = np.array([[1, 0, 1, 0], [0, 0, 0, 0]])
    given = MultilabelProblem.from_arrays(np.array([[0, 2, 0], [1, 0, 0]], dtype=np.float32), Y)
    write_multilabel(tmp_path / "file", given, header=True)
    assert (tmp_path / "file").read_text() == "2 3 4\n0,2 1:2\n 0:1\n"
    found = read_multilabel(tmp_path / "file")
    assert found.n_features == 3
    assert_array_equal(found.labels.matrix().toarray(), Y)
    with pytest.raises(ValueError, match="with a header the labels must be 0 … 2"):
        write_multilabel(tmp_path / "file", WORDS, header=True)


@pytest.mark.parametrize("name", ["a b", "a,b", "a:b", "#a", "", "-3", "a\nb"])
def test_a_name_that_would_read_back_as_another_is_refused(tmp_path, name):
    problem = MultilabelProblem.from_lists(np.eye(2), [["a"], [name]])
    with pytest.raises(ValueError, match="cannot be written"):
        write_multilabel(tmp_path / "file", problem)
    assert list(tmp_path.iterdir()) == []


def test_a_problem_of_one_label_is_refused(tmp_path):
    with pytest.raises(TypeError, match="MultilabelProblem"):
        write_multilabel(tmp_path / "file", Problem.from_arrays(np.eye(2), [1, 2]))
