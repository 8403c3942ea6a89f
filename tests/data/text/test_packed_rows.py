"""Text is read as packed rows or dense ones by the commands: the same numbers in less memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import Parameter, Problem, fit
from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.products import product
from rrmlinear.data.rows import PackedRows, Rows
from rrmlinear.data.text._libsvm_parser import PADDING
from rrmlinear.data.text.libsvm_format import read_examples, read_libsvm, write_libsvm
from rrmlinear.data.text.libsvm_reading import MIN_DENSE, MIN_PACKED, Reading
from rrmlinear.data.text.line_blocks import LineBlocks


def read_in_blocks(path, threads, block_size=200):
    """The file's problem, read compactly in small blocks, as if it were large enough to pack."""
    reading = Reading(str(path), np.dtype(np.float64), None, False, False, False, compact=True)
    with open(path, "rb") as stream:
        reading.run(LineBlocks(stream, block_size, PADDING), MIN_PACKED, threads)
    return reading.problem()


def write(path, values, features=50, lines=60, more=()):
    """Lines of five values each, taken in turn, and further lines."""
    rng = np.random.default_rng(0)
    text = []
    for i in range(lines):
        indices = np.sort(rng.choice(features, 5, replace=False)) + 1
        chosen = [values[(5 * i + t) % len(values)] for t in range(5)]
        text.append(
            f"{1 - 2 * (i % 2)} "
            + " ".join(f"{j}:{v}" for j, v in zip(indices, chosen, strict=True))
        )
    path.write_text("\n".join([*text, *more]) + "\n")
    return path


def agree(problem, path):
    """Whether the numbers are, to the bit, those of the plain reader."""
    plain = read_libsvm(path)
    assert problem.rows.shape == plain.rows.shape
    assert (problem.rows.values == plain.rows.values).all()
    assert (problem.rows.indices == plain.rows.indices).all()
    assert (problem.rows.indptr == plain.rows.indptr).all()
    assert (problem.labels == plain.labels).all()


@pytest.mark.parametrize("decimals", [0, 3, 6, 9])
def test_packed_values_are_correctly_rounded_quotients(decimals):
    rng = np.random.default_rng(decimals)
    numbers = rng.integers(-(2**31) + 1, 2**31, 100_000, dtype=np.int64).astype(np.int32)
    numbers[:3] = 0, 2**31 - 1, 1 - 2**31
    indices, indptr = np.zeros(len(numbers), np.uint16), np.arange(len(numbers) + 1)
    rows = PackedRows(numbers, indices, indptr, 1, decimals=decimals)
    assert (rows.values == numbers / 10.0**decimals).all()
    assert (product(rows, np.ones((1, 1)), 1)[:, 0] == rows.values).all()


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        (["0.116891", "-0.5", "1", "0", "2", "0.000000001", "-2.147483647", "1e-9", "+.25"], 9),
        (["0.116891", "3.25", "-2147.483647", "5e-6", "17"], 6),
        (["2148", "0.125", "-7"], 3),
        (["2147483647", "-12", "3.000", "3e4"], 0),
    ],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_values_of_few_digits_are_packed(tmp_path, values, decimals, threads):
    path = write(tmp_path / "data", values)
    problem = read_in_blocks(path, threads)
    assert isinstance(problem.rows, PackedRows)
    assert problem.rows.decimals == decimals
    agree(problem, path)


@pytest.mark.parametrize(
    "line",
    [
        "1 2:0.1234567891",
        "1 2:12345.678901",
        "1 2:2147483648",
        "1 2:1e-10 3:1",
        "1 2:0x1p-30",
        "1 2:1 70000:1",
        "1 2:1 3000000000:1",
    ],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_other_numbers_are_not_packed(tmp_path, line, threads):
    path = write(tmp_path / "data", ["0.116891", "-0.5", "1"], more=[line, "1 1:0.25"])
    problem = read_in_blocks(path, threads)
    assert type(problem.rows) is Rows
    agree(problem, path)


def test_indices_up_to_16_bits_are_packed(tmp_path):
    path = write(tmp_path / "data", ["1", "0.5"], more=["1 1:1 65536:2"])
    problem = read_in_blocks(path, 1)
    assert isinstance(problem.rows, PackedRows)
    agree(problem, path)


def test_full_lines_of_packed_values_become_dense(tmp_path):
    full = "1 1:0.116891 2:-0.5 3:1 4:2 5:0.25\n"
    path = tmp_path / "data"
    path.write_text(full * (MIN_DENSE // 5) + "1 2:0.25 5:1\n")
    problem = read_in_blocks(path, 1, 1 << 16)
    assert problem.rows.is_dense
    assert (problem.rows.values == read_libsvm(path).to_scipy().toarray()).all()


@pytest.mark.parametrize(
    "choices",
    [
        {"loss": "hinge", "solver": 32},
        {"loss": "logistic", "solver": "newton"},
        {"solver": 5},
        {"solver": 30},
    ],
)
@pytest.mark.filterwarnings("ignore::rrmlinear.training.fit.NotSolvedWarning")
def test_a_fit_does_not_see_the_packing(tmp_path, choices):
    path = write(tmp_path / "data", ["0.116891", "-0.5", "1", "0.3"])
    packed, plain = read_in_blocks(path, 1), read_libsvm(path)
    assert isinstance(packed.rows, PackedRows)
    chosen = np.arange(59, -1, -3)
    some = packed.with_bias(1.0).take(chosen)
    assert isinstance(some.rows, PackedRows)
    for ours, theirs in ((packed, plain), (some, plain.with_bias(1.0).take(chosen))):
        weights = [fit(each, Parameter(max_passes=5, **choices)).weights for each in (ours, theirs)]
        assert weights[0] == pytest.approx(weights[1], rel=1e-12, abs=1e-14)


def test_parts_of_packed_rows_stay_packed(tmp_path):
    rows = read_in_blocks(write(tmp_path / "data", ["0.116891", "-0.5", "1"]), 1).rows
    part = rows.between(10, 20)
    assert isinstance(part, PackedRows)
    assert (
        product(part, np.eye(50), 50) == product(take_rows(rows, np.arange(10, 20)), np.eye(50), 50)
    ).all()
    assert (part.squared_norms() == rows.squared_norms()[10:20]).all()
    assert rows.n_bytes == 6 * rows.n_stored
    assert isinstance(Problem(rows, np.zeros(60)).with_bias(1.0).rows, PackedRows)


@pytest.mark.parametrize("text", ["1 1:2 2:3\n-1 1:4 2:5\n", "1 1:2\n-1 1:0\n"])
def test_full_lines_make_dense_rows(tmp_path, text):
    path = tmp_path / "data"
    path.write_text(text * (MIN_DENSE // 2))
    dense, sparse = read_examples(str(path), 1, False), read_libsvm(path)
    assert dense.rows.is_dense
    assert not sparse.rows.is_dense
    assert (dense.rows.values == sparse.to_scipy().toarray()).all()
    assert (dense.labels == sparse.labels).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("part", [1.0, 0.92])
def test_missing_values_are_zeros_of_dense_rows(dtype, part, tmp_path):
    rng, n = np.random.default_rng(2), MIN_DENSE // 6
    X = rng.standard_normal((n, 7)).round(3) * (rng.random((n, 7)) < part)
    X[0, 6], X[5] = 1.0, 0.0  # a row without values
    path = tmp_path / "data"
    write_libsvm(path, Problem.from_arrays(sp.csr_array(X), np.ones(n)))
    reading = Reading("data", np.dtype(dtype), None, False, False, compact=True)
    with open(path, "rb") as stream:
        reading.run(LineBlocks(stream, 1 << 16, PADDING), None, 2)
    problem = reading.problem()
    assert problem.rows.is_dense
    assert problem.rows.values.dtype == dtype
    assert (problem.rows.values == X.astype(dtype)).all()


@pytest.mark.parametrize("text", ["1 1:2 2:3\n-1 2:5\n", "1\n-1\n", "1 1:2 3:3\n"])
def test_lines_without_a_feature_stay_sparse(tmp_path, text):
    path = tmp_path / "data"
    path.write_text(text * (MIN_DENSE // 2))
    rows = read_examples(str(path), 1, False).rows
    assert not rows.is_dense
    assert rows.n_stored == MIN_DENSE // 2 * text.count(":")
