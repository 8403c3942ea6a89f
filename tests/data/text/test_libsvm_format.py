"""The text that read_libsvm accepts and refuses, and the place that its errors name."""

import io
import re

import numpy as np
import pytest

from rrmlinear import read_libsvm
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError


def read(text, **options):
    return read_libsvm(io.BytesIO(text), **options)


def rows_of(problem):
    """[{index: value}] of all examples, indices from 0."""
    rows = problem.rows
    return [
        dict(zip(rows.indices[b:e].tolist(), rows.values[b:e].tolist(), strict=True))
        for b, e in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]


ACCEPTED = [
    pytest.param(b"1 1:2", [{0: 2.0}], id="no newline at the end"),
    pytest.param(b"1 1:2 3:4\r\n", [{0: 2.0, 2: 4.0}], id="CRLF"),
    pytest.param(b"1\r\n-1\r\n", [{}, {}], id="CRLF after a label"),
    pytest.param(b"1 1:2  \t \n", [{0: 2.0}], id="trailing blanks"),
    pytest.param(b"1\t1:2\t3:4\n", [{0: 2.0, 2: 4.0}], id="tabs"),
    pytest.param(b"  1 1:2\n", [{0: 2.0}], id="leading space"),
    pytest.param(b"+1 1:+2 +3:4\n", [{0: 2.0, 2: 4.0}], id="plus signs"),
    pytest.param(b"0x10 1:0x1p-3\n", [{0: 0.125}], id="hexadecimal"),
    pytest.param(b"1 1: 1\n", [{0: 1.0}], id="blank after the colon"),
    pytest.param(b"1 ::1:1 ::2:2\n", [{0: 1.0, 1: 2.0}], id="colons before an index"),
    pytest.param(b"1 1:1 # comment\n", [{0: 1.0}], id="comment"),
    pytest.param(b"1 1:1 # see: this 2:x\n", [{0: 1.0}], id="comment with a colon"),
    pytest.param(b"# head: 1\n\t# more\r\n1 1:1\n#", [{0: 1.0}], id="lines of comment only"),
    pytest.param(b"1\n2 \n", [{}, {}], id="labels only"),
    pytest.param(b"1 007:1\n", [{6: 1.0}], id="leading zeros"),
    pytest.param(b"1 1:.5 2:5. 3:-.5e1 4:-0\n", [{0: 0.5, 1: 5, 2: -5, 3: 0}], id="short decimals"),
    pytest.param(b"1 1:2\v 2:3\n", [{0: 2.0, 1: 3.0}], id="value ended by other white space"),
    pytest.param(b"1 1:0e-999\n", [{0: 0.0}], id="zero with a small exponent"),
    pytest.param(b"1 1:0x1p-1074\n", [{0: 5e-324}], id="exact subnormal"),
    pytest.param(b"1e-320 1:1\n", [{0: 1.0}], id="subnormal label"),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("text", "rows"), ACCEPTED)
@pytest.mark.filterwarnings("error")
def test_accepts(text, rows, strict):
    problem = read(text, strict=strict)
    assert rows_of(problem) == rows
    assert problem.n_examples == len(rows)
    assert problem.weights is None
    assert problem.query_ids is None


REFUSED = [
    pytest.param(b"\n", 1, 1, "empty", id="empty line"),
    pytest.param(b"1 1:1\n\n", 2, 1, "empty", id="empty line at the end"),
    pytest.param(b"1 1:1\n \t\n", 2, 1, "empty", id="blank line"),
    pytest.param(b"1 1:1\n\r\n", 2, 1, "empty", id="blank line of CRLF"),
    pytest.param(b"1 1:1\nx 1:1\n", 2, 1, "'x' where a label", id="label not a number"),
    pytest.param(b"1,2 1:1\n", 1, 1, "'1,2' where a label", id="several labels"),
    pytest.param(b"1:1 2:2\n", 1, 1, "'1:1' where a label", id="no label"),
    pytest.param(b"\xef\xbb\xbf1 1:1\n", 1, 1, "a byte order mark before", id="byte order mark"),
    pytest.param(b"nan 1:1\n", 1, 1, "label 'nan' is not finite", id="label nan"),
    pytest.param(b"  1e400 1:1\n", 1, 3, "label '1e400' is not finite", id="label infinite"),
    pytest.param(
        b"1 0:1\n",
        1,
        3,
        "'0' is below 1, the first allowed; features count from 1: add",
        id="index 0",
    ),
    pytest.param(b"1 -3:1\n", 1, 3, "'-3' is below 1", id="index negative"),
    pytest.param(b"1 2:1 1:1\n", 1, 7, "'1' is not above 2", id="index falling"),
    pytest.param(b"1 2:1  2:1\n", 1, 8, "'2' is not above 2", id="index repeated"),
    pytest.param(b"1 a:1\n", 1, 3, "'a' where a feature index", id="index not a number"),
    pytest.param(b"1 1.5:1\n", 1, 3, "'1.5' where a feature index", id="index with a point"),
    pytest.param(b"1 1 2:1\n", 1, 3, "'1 2' where a feature index", id="token before an index"),
    pytest.param(b"1 1 :1\n", 1, 3, "where a feature index", id="blank before the colon"),
    pytest.param(b"1 9223372036854775808:1\n", 1, 3, "does not fit 64 bits", id="index too large"),
    pytest.param(b"1 1:x\n", 1, 5, "'x' where the feature's value", id="value not a number"),
    pytest.param(b"1 1:\n", 1, 5, "'' where the feature's value", id="value missing"),
    pytest.param(b"1 1:", 1, 5, "'' where the feature's value", id="value missing at the end"),
    pytest.param(b"1 1:2:3\n", 1, 5, "'2:3' where the feature's value", id="two colons"),
    pytest.param(b"1 1:1#c\n", 1, 5, "'1#c' where", id="comment without a blank"),
    pytest.param(b"1 1:1e\n", 1, 5, "'1e' where", id="exponent missing"),
    pytest.param(b"1 1:1e400\n", 1, 5, "'1e400' is too large or", id="value overflows"),
    pytest.param(b"1 1:1e-320\n", 1, 5, "too close to 0", id="value subnormal"),
    pytest.param(b"1 1:1e-400\n", 1, 5, "too close to 0", id="value underflows"),
    pytest.param(b"1 1:1 2:nan\n", 1, 9, "'nan' is not finite", id="value nan"),
    pytest.param(b"1 1:1 2:-Infinity\n", 1, 9, "is not finite", id="value infinite"),
    pytest.param(b"1 1:1\0 2:1\n", 1, 6, "NUL", id="NUL byte"),
    pytest.param("1 1:1".encode("utf-16-le"), 1, 2, "to be saved as UTF-8", id="UTF-16"),
    pytest.param(b"1 qid:x 1:1\n", 1, 3, "'qid:x' where qid:", id="query id not a number"),
    pytest.param(b"1 qid: 1:1\n", 1, 3, "'qid:' where qid:", id="query id missing"),
    pytest.param(b"1 1:1 qid:1\n", 1, 7, "'qid' where a feature index", id="query id too late"),
    pytest.param(b"1 qid:1\n1 1:1\n", 2, 1, "no qid:", id="example without a query id"),
    pytest.param(b"1,2,3\n", 1, 1, "number; LIBSVM text has blanks", id="commas"),
    pytest.param(b"1\n# x\n1 qid:1\n", 3, 1, "has a qid:", id="example with a query id"),
]


@pytest.mark.parametrize(("text", "line", "column", "found"), REFUSED)
@pytest.mark.parametrize("block_size", [1, 1 << 19])
def test_refuses_with_line_and_column(text, line, column, found, block_size):
    with pytest.raises(LibsvmFormatError) as caught:
        read(text, block_size=block_size, threads=2)
    first, second = str(caught.value).split("\n", 1)
    assert first == f"Wrong input format at line {line}"
    assert second.startswith(f"the file object, line {line}, column {column}: ")
    assert found in second
    error = caught.value
    assert (error.line, error.column, error.path) == (line, column, "the file object")
    assert isinstance(error, ValueError)


PASSED = [
    pytest.param(b"1 1:2 3:4 5\n", [{0: 2, 2: 4}], 11, "'5' where index:value", id="no colon"),
    pytest.param(b"1 2 3 4\n", [{}], 3, "'2 3 4' where index:value", id="no colons"),
    pytest.param(b"1 1=3\r\n", [{}], 3, "'1=3' where index:value", id="another sign"),
    pytest.param(b"1 qid:1 x # y\n", [{}], 9, "'x ' where index:value", id="behind a query id"),
    pytest.param(b"1 1:2\v9 2:3\n", [{0: 2, 1: 3}], 7, "'9' where", id="behind a value"),
    pytest.param(b"1 1:2\r-1 2:3\r1 3:1\r", [{0: 2, 1: 3, 2: 1}], 6, "CR inside", id="CR alone"),
    pytest.param(b"1 1:2 # x\ry\n", [{0: 2}], 10, "CR inside", id="CR in a comment"),
    pytest.param(b"1 1:2\r\r\n", [{0: 2}], 6, "CR inside", id="CR CR LF"),
]


@pytest.mark.parametrize(("text", "rows", "column", "found"), PASSED)
def test_what_is_passed_over_is_told_or_refused(text, rows, column, found):
    before = b"2 1:1\n" if b"qid" not in text else b"# 2\n"
    many = before + text.removesuffix(b"\r").removesuffix(b"\n") + b"\n"
    for block_size in (1, 1 << 19):
        with pytest.warns(UserWarning, match=re.escape(found)) as said:
            problem = read(many * 3, block_size=block_size, threads=2)
        assert [row for row in rows_of(problem) if row != {0: 1}] == rows * 3
        (warning,) = said
        assert str(warning.message).startswith(f"the file object, line 2, column {column}: found ")
        assert str(warning.message).endswith("; 2 more such lines")
        assert warning.filename == __file__
        with pytest.raises(LibsvmFormatError, match=re.escape(found)) as caught:
            read(many * 3, block_size=block_size, strict=True)
        assert (caught.value.line, caught.value.column) == (2, column)
    with pytest.warns(UserWarning, match=r"(left out|read as a blank)$"):
        read(text)


def test_first_fault_of_the_file_is_reported():
    text = b"1 1:1\n" * 50 + b"1 1:x\n" + b"1 1:1\n" * 5 + b"y\n" * 200
    for block_size in (8, 64, 1000):
        with pytest.raises(LibsvmFormatError, match="at line 51\n"):
            read(text, block_size=block_size, threads=3)


def test_long_token_is_cut_in_the_message():
    with pytest.raises(LibsvmFormatError) as caught:
        read(b"1 1:" + b"z" * 10_000)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", [b"", b"# only a comment\n", b"#\n#"])
def test_no_examples(text):
    with pytest.raises(ValueError, match="has no examples"):
        read(text)


@pytest.mark.parametrize(
    ("zero_based", "text", "rows"),
    [
        (True, b"1 0:1 2:3\n1 1:1\n", [{0: 1, 2: 3}, {1: 1}]),
        (np.True_, b"1 0:1\n", [{0: 1}]),
        ("auto", b"1 1:1 2:3\n", [{0: 1, 1: 3}]),
        ("auto", b"1 1:1 2:3\n1 0:5\n", [{1: 1, 2: 3}, {0: 5}]),
    ],
)
def test_zero_based(zero_based, text, rows):
    problem = read(text, zero_based=zero_based, block_size=4)
    assert rows_of(problem) == rows
    assert problem.n_features == max(max(row) for row in rows) + 1


@pytest.mark.parametrize(
    ("zero_based", "text", "column"),
    [(False, b"1 3:1 4:1\n", 7), (True, b"1 2:1 3:1", 7), ("auto", b"1 3:1\n1 0:1 3:1", 3)],
)
def test_index_above_n_features(zero_based, text, column):
    with pytest.raises(LibsvmFormatError, match="not among the 3 features") as caught:
        read(text, zero_based=zero_based, n_features=3)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_n_features():
    assert read(b"1 3:1\n", n_features=9).n_features == 9
    assert read(b"1 3:1\n", n_features=3, zero_based="auto").n_features == 3
    assert read(b"1\n", n_features=0).n_features == 0
    assert read(b"1\n").n_features == 0


@pytest.mark.parametrize("threads", [1, 3])
def test_indices_become_64_bits_only_where_needed(threads):
    narrow = read(b"1 1:1 2147483648:2\n")
    assert narrow.rows.indices.dtype == np.int32
    assert narrow.rows.indices.tolist() == [0, 2**31 - 1]
    text = b"1 1:1 5:2\n" * 40 + b"1 2147483649:3\n" + b"2 4:1\n" * 40 + b"1 9223372036854775807:1"
    wide = read(text, threads=threads, block_size=30)
    assert wide.rows.indices.dtype == np.int64
    assert wide.rows.indices.tolist() == [0, 4] * 40 + [2**31] + [3] * 40 + [2**63 - 2]
    assert wide.n_features == 2**63 - 1
    with pytest.raises(LibsvmFormatError, match="does not fit 64 bits"):
        read(text, zero_based=True)


def test_indices_of_an_open_base_may_move_up():
    problem = read(b"1 2147483647:1\n1 0:1\n", zero_based="auto")
    assert problem.rows.indices.dtype == np.int32
    assert problem.rows.indices.tolist() == [2**31 - 1, 0]


def test_float32():
    problem = read(b"1 1:0.1 2:3.4028235e38 3:1e-45\n", dtype=np.float32)
    assert problem.rows.values.dtype == np.float32
    assert problem.rows.values.tolist() == np.float32([0.1, 3.4028235e38, 1e-45]).tolist()
    for value in (b"3.4028236e38", b"-1e39"):
        with pytest.raises(LibsvmFormatError, match="too large"):
            read(b"1 1:" + value, dtype=np.float32)


def test_query_ids():
    text = b"1 qid:7 1:1\n2\tqid:-3\n# qid: none\n3  qid:+9223372036854775807  2:1 # x\r\n4 qid:1"
    for block_size in (5, 1000):
        problem = read(text, block_size=block_size)
        assert problem.query_ids.dtype == np.int64
        assert problem.query_ids.tolist() == [7, -3, 2**63 - 1, 1]
        assert problem.labels.tolist() == [1, 2, 3, 4]
        assert rows_of(problem) == [{0: 1}, {}, {1: 1}, {}]


def test_arrays_have_scipys_types_and_may_be_written():
    problem = read(b"1 1:0.5 9:2\n-1 2:1\n")
    rows = problem.rows
    assert (rows.values.dtype, rows.indices.dtype) == (np.float64, np.int32)
    assert (rows.indptr.dtype, problem.labels.dtype) == (np.int64, np.float64)
    assert rows.shape == (2, 9)
    for array in (rows.values, rows.indices, rows.indptr, problem.labels):
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.flags.aligned
    assert problem.to_scipy().toarray()[0, 8] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": np.int32}, "dtype must be"),
        ({"zero_based": "yes"}, "zero_based must be"),
        ({"n_features": -1}, "n_features must be"),
        ({"threads": 0}, "threads"),
        ({"block_size": 0}, "block_size"),
    ],
)
def test_arguments_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        read(b"1 1:1\n", **options)
