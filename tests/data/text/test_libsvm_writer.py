"""The text of write_libsvm, which reads back as the same arrays."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rrmlinear import Problem, read_libsvm, write_libsvm
from rrmlinear.data.rows import Rows


def written(problem):
    stream = io.BytesIO()
    write_libsvm(stream, problem)
    return stream.getvalue()


def sparse(values, indices, indptr, labels, n_features=100, query_ids=None):
    rows = Rows(np.asarray(values), np.asarray(indices), np.asarray(indptr), n_features)
    return Problem(rows, np.asarray(labels, dtype=float), None, query_ids)


def test_numbers_have_their_fewest_digits():
    problem = sparse([0.1, -2.0, 0.0, 1e-5], np.int32([0, 9, 2, 99]), [0, 2, 2, 4], [1, -1.5, 1e5])
    assert written(problem) == b"1 1:0.1 10:-2\n-1.5\n100000 3:0 100:1e-05\n"


def test_query_ids():
    problem = sparse([1.0], np.int64([2**40]), [0, 1, 1], [2, 3], 2**41, np.int64([5, -7]))
    assert written(problem) == b"2 qid:5 1099511627777:1\n3 qid:-7\n"


def test_dense_rows_leave_zeros_out():
    problem = Problem.from_arrays(np.array([[0.0, 1.5, -0.0], [0, 0, 0]]), [1, 2])
    assert written(problem) == b"1 2:1.5\n2\n"


def test_float32_digits():
    once = np.array([0.1, 3.4028235e38, 1e-45], dtype=np.float32)
    assert written(sparse(once, np.int32([0, 1, 2]), [0, 3], [1])) == (
        b"1 1:0.1 2:3.4028235e+38 3:1e-45\n"
    )
    # its shortest digits as a float, 7.038531e-26, would round to the next one through a double
    twice = np.array([float.fromhex("0x1.5c87fap-84")], dtype=np.float32)
    text = written(sparse(twice, np.int32([0]), [0, 1], [1]))
    assert read_libsvm(io.BytesIO(text), dtype=np.float32).rows.values.tolist() == twice.tolist()


def test_subnormal_numbers_are_written_exactly():
    values = np.array([5e-324, -1e-310, 2.2250738585072014e-308])
    text = written(sparse(values, np.int32([0, 1, 2]), [0, 3], [1]))
    assert b"0x" in text
    assert read_libsvm(io.BytesIO(text)).rows.values.tolist() == values.tolist()


def assert_same(problem, again):
    for name in ("values", "indices", "indptr"):
        ours, theirs = getattr(problem.rows, name), getattr(again.rows, name)
        assert ours.tobytes() == theirs.tobytes()
        assert ours.dtype == theirs.dtype
    assert problem.labels.tobytes() == again.labels.tobytes()
    assert (problem.query_ids is None) == (again.query_ids is None)
    if problem.query_ids is not None:
        assert problem.query_ids.tolist() == again.query_ids.tolist()
    assert problem.rows.shape == again.rows.shape


@st.composite
def problems(draw):
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    lengths = draw(st.lists(st.integers(0, 6), min_size=1, max_size=8))
    top = draw(st.sampled_from([30, 10**9, 2**60]))
    indices = [
        sorted(draw(st.sets(st.integers(0, top), min_size=count, max_size=count)))
        for count in lengths
    ]
    flat = [index for row in indices for index in row]
    index_type = np.int64 if max(flat, default=0) > 2**31 - 1 else np.int32
    finite = {"allow_nan": False, "allow_infinity": False}
    width = 8 * np.dtype(dtype).itemsize
    values = draw(arrays(dtype, len(flat), elements=st.floats(width=width, **finite)))
    labels = draw(arrays(np.float64, len(lengths), elements=st.floats(**finite)))
    query_ids = draw(st.none() | arrays(np.int64, len(lengths)))
    rows = Rows(
        values,
        np.array(flat, dtype=index_type),
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        top + 1,
    )
    return Problem(rows, labels, None, query_ids)


@settings(max_examples=200)
@given(problem=problems(), block_size=st.integers(1, 200))
def test_round_trip(problem, block_size):
    again = read_libsvm(
        io.BytesIO(written(problem)),
        dtype=problem.rows.values.dtype,
        n_features=problem.n_features,
        threads=2,
        block_size=block_size,
    )
    assert_same(problem, again)


def test_is_written_in_small_pieces():
    # between two of them Ctrl-C acts, and a stream that compresses takes 0.1 s for one
    class Pieces(io.BytesIO):
        most = 0

        def write(self, text):
            self.most = max(self.most, len(text))
            return super().write(text)

    values = np.random.default_rng(0).normal(size=60_000)
    rows = [np.tile(np.arange(60, dtype=np.int32), 1000), np.arange(0, 60_001, 60)]
    stream = Pieces()
    write_libsvm(stream, sparse(values, *rows, np.ones(1000)))
    assert len(stream.getvalue()) > 1_000_000
    assert stream.most <= 1 << 17


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_round_trip_of_many_rows(tmp_path, dtype):
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 60, size=5000)
    lengths[17] = 50_000  # a row longer than what is written at once
    indices = np.concatenate([np.arange(count) * 2 for count in lengths]).astype(np.int32)
    bits = rng.integers(0, 2**63, size=len(indices), dtype=np.uint64)
    values = bits.view(dtype)[: len(bits)].copy()
    values[~np.isfinite(values)] = 1
    problem = sparse(
        values,
        indices,
        np.concatenate(([0], np.cumsum(lengths))),
        rng.integers(0, 9, size=5000),
        100_000,
    )
    write_libsvm(tmp_path / "data", problem)
    assert_same(problem, read_libsvm(tmp_path / "data", dtype=dtype, n_features=100_000))


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (sparse([np.nan], np.int32([0]), [0, 1], [1]), "row 0 cannot be written"),
        (sparse([1.0], np.int32([200]), [0, 1], [1]), "row 0 cannot be written"),
        (sparse([1.0, 2.0], np.int32([3, 3]), [0, 2], [1]), "indices must increase"),
        (sparse([1.0], np.int32([0]), [0, 1], [np.inf]), "label of row 0 is inf"),
    ],
)
def test_refuses_what_cannot_be_read_again(tmp_path, problem, message):
    with pytest.raises(ValueError, match=message):
        write_libsvm(tmp_path / "data", problem)
    assert list(tmp_path.iterdir()) == []


def test_refuses_arrays(tmp_path):
    with pytest.raises(TypeError, match="write_libsvm takes a Problem, not ndarray"):
        write_libsvm(tmp_path / "data", np.ones((2, 2)))
    assert list(tmp_path.iterdir()) == []
