"""Problem: arrays used without a copy, arrays put in order, and errors."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from rrmlinear import Problem
from rrmlinear.data.products import product

Y = [1, 2, 1]


def matrix(values=np.float64, indices=np.int32):
    m = sparse.csr_array(np.array([[1.5, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, -3.0, 0.5]]))
    m.data = m.data.astype(values)
    m.indices, m.indptr = m.indices.astype(indices), m.indptr.astype(indices)
    return m


def raw(data, indices, indptr, shape=(3, 3)):
    """A CSR array of any parts: scipy checks none that are set afterwards."""
    m = sparse.csr_array(shape)
    m.data, m.indices, m.indptr = np.array(data, float), np.array(indices), np.array(indptr)
    return m


@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_csr_is_used_where_it_lies(values, indices, kind):
    m = matrix(values, indices)
    m = kind((m.data, m.indices, m.indptr), shape=m.shape)
    m.indices, m.indptr = m.indices.astype(indices), m.indptr.astype(indices)
    before = m.data.copy(), m.indices.copy(), m.indptr.copy()
    problem = Problem.from_arrays(m, Y)
    assert np.shares_memory(problem.rows.values, m.data)
    assert np.shares_memory(problem.rows.indices, m.indices)
    assert np.shares_memory(problem.rows.indptr, m.indptr)
    assert (problem.n_examples, problem.n_features, problem.bias) == (3, 3, -1.0)
    for part, old in zip((m.data, m.indices, m.indptr), before, strict=True):
        assert (part == old).all()
        assert part.dtype == old.dtype


@pytest.mark.parametrize("values", [np.float32, np.float64])
def test_c_order_is_used_where_it_lies(values):
    X = np.arange(6, dtype=values).reshape(3, 2)
    problem = Problem.from_arrays(X, Y)
    assert np.shares_memory(problem.rows.values, X)
    assert problem.rows.is_dense


@pytest.mark.parametrize(
    "X",
    [
        np.asfortranarray(np.arange(6.0).reshape(3, 2)),
        np.arange(12.0).reshape(3, 4)[:, ::2],
        np.arange(6).reshape(3, 2),
        np.arange(6.0).reshape(3, 2).astype(">f8"),
        np.arange(6.0).reshape(3, 2).astype(">f4"),
        np.arange(6.0).reshape(3, 2).astype(np.float16),
        np.array([[True, False], [False, True], [True, True]]),
        [[1, 2], [3, 4], [5, 6]],
        np.array([[1, 2], [3, 4], [5, 6]], dtype=object),
    ],
    ids=["F", "strided", "int", ">f8", ">f4", "f2", "bool", "list", "object"],
)
def test_other_dense_arrays_are_converted(X):
    problem = Problem.from_arrays(X, Y)
    assert problem.rows.values.flags.c_contiguous
    assert problem.rows.values.dtype.isnative
    np.testing.assert_array_equal(problem.rows.values, np.asarray(X).astype(float))


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "dok", "bsr", "dia"])
def test_other_sparse_forms_are_converted(form):
    problem = Problem.from_arrays(matrix().asformat(form), Y)
    np.testing.assert_array_equal(problem.to_scipy().toarray(), matrix().toarray())


@pytest.mark.parametrize("values", [np.int64, np.float16, np.bool_, np.longdouble])
def test_other_sparse_values_are_converted(values):
    m = matrix()
    m.data = np.ones_like(m.data).astype(values)
    assert Problem.from_arrays(m, Y).rows.values.dtype == np.float64


def test_read_only_arrays_serve(fit):
    m, X = matrix(), matrix().toarray()
    for part in (m.data, m.indices, m.indptr, X):
        part.flags.writeable = False
    for problem in (Problem.from_arrays(m, Y), Problem.from_arrays(X, Y)):
        writable = Problem.from_arrays(
            problem.rows.values.copy() if problem.rows.is_dense else matrix(), Y
        )
        assert fit(problem).weights.tobytes() == fit(writable).weights.tobytes()
    assert np.shares_memory(problem.rows.values, X)


def test_memory_mapped_arrays_serve(tmp_path, fit):
    m = matrix(np.float32, np.int64)
    parts = []
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / name, getattr(m, name))
        parts.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    mapped = sparse.csr_array((3, 3))
    mapped.data, mapped.indices, mapped.indptr = parts
    problem = Problem.from_arrays(mapped, Y)
    assert np.shares_memory(problem.rows.values, parts[0])
    assert fit(problem).weights.tobytes() == fit(Problem.from_arrays(m, Y)).weights.tobytes()
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, (3, 3))
    X[:] = m.toarray()
    dense = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(Problem.from_arrays(dense, Y).rows.values, dense)


@pytest.mark.parametrize(
    ("data", "indices", "said"),
    [
        ([2.0, 1.0, 3.0], [2, 0, 1], []),
        ([1.0, 2.0, 3.0], [1, 1, 2], ["X has repeated column indices: a copy with repeat"]),
        ([1.0, 2.0, 3.0], [2, 0, 2], ["X has repeated column indices: a copy with repeat"]),
    ],
)
def test_indices_are_put_in_order_and_sums_are_said(data, indices, said):
    m = raw(data, indices, [0, 3, 3, 3])
    expected = np.zeros((3, 3))
    np.add.at(expected[0], indices, data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        problem = Problem.from_arrays(m, Y)
    assert [str(each.message)[:49] for each in caught] == said
    np.testing.assert_array_equal(problem.to_scipy().toarray(), expected)
    assert (m.data.tolist(), m.indices.tolist()) == (data, indices)  # the caller's stay as they are
    assert (np.diff(problem.rows.indices[: problem.rows.indptr[1]]) > 0).all()


def test_sorted_arrays_are_no_news():
    with warnings.catch_warnings(action="error"):
        Problem.from_arrays(matrix(), Y)
        problem = Problem.from_arrays(sparse.csr_array((3, 4)), Y)
    assert problem.rows.n_stored == 0


NAN, INF = np.nan, np.inf
MASK, MASKED = [[0, 0], [0, 1], [0, 0]], "numbers: masked entries are not allowed"


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1, 2], [3, NAN], [5, 6]], r"X\[1, 1\] is nan; NaN and infinity are not allowed"),
        ([[1, 2], [3, 4], [-INF, 6]], r"X\[2, 0\] is -inf; NaN and infinity are not allowed"),
        (raw([1, INF], [0, 2], [0, 1, 1, 2]), r"X\[2, 2\] is inf; NaN and infinity"),
        (raw([1, NAN], [0, 1], [0, 2, 2, 2]), r"X\[0, 1\] is nan; NaN and infinity"),
        (raw([1, 2], [0, 3], [0, 1, 2, 2]), r"row 1 of X has column index 3; allowed are 0 … 2"),
        (raw([1, 2], [-1, 1], [0, 2, 2, 2]), r"row 0 of X has column index -1; allowed are 0 … 2"),
        (raw([1, 2], [0, 1], [0, 2, 1, 2]), r"indptr\[2\] is 1; indptr must not fall"),
        (raw([1, 2], [0, 1], [0, 1, 2, 5]), r"indptr\[3\] is 5; .* must stay within 0 … 2"),
        (raw([1, 2], [0, 1], [-1, 1, 2, 2]), r"indptr\[0\] is -1; .* must stay within 0 … 2"),
        (raw([1, 2], [0, 1], [0, 1, 2]), "indptr has 3 entries for 3 rows; 4 needed"),
        ([1.0, 2.0, 3.0], r"X must be a matrix of n rows and d columns, got shape \(3,\)"),
        (np.zeros((3, 2, 2)), r"X must be a matrix of n rows and d columns, got shape \(3, 2, 2\)"),
        ("train.txt", "X is the path 'train.txt': read_libsvm or Problem.open reads files"),
        (3.0, r"X must be a matrix of n rows and d columns, got shape \(\)"),
        (np.zeros((0, 4)), "X has 0 rows; at least one example is needed"),
        (sparse.csr_array((0, 4)), "X has 0 rows; at least one example is needed"),
        ([["a", "b"], ["c", "d"], ["e", "f"]], "X must hold numbers"),
        (np.eye(3).astype(str), "X must hold numbers: text is not converted to numbers"),
        (np.eye(3).astype(str).astype(object), "X must hold numbers: text is not converted"),
        (np.eye(3).astype("M8[s]"), "X must hold numbers: times are not converted to numbers"),
        (np.array([[1, {}], [2, 3], [4, 5]], dtype=object), "X must hold numbers"),
        (np.full((3, 2), 1j), "X must hold numbers: complex ones are not allowed"),
        (np.ma.masked_array(np.ones((3, 2)), MASK), f"X must hold {MASKED}"),
        (np.ma.masked_array(np.ones((3, 2), order="F"), MASK), f"X must hold {MASKED}"),
        (sparse.csr_array(np.ones((3, 2)) * 1j), "X must hold numbers: complex ones are not"),
    ],
)
def test_bad_matrices_are_refused_by_name(X, message):
    y = [1] * (X.shape[0] if hasattr(X, "shape") and X.shape else 3)
    for any_order in (False, True):
        with pytest.raises(ValueError, match=message):
            Problem.from_arrays(X, y, any_order=any_order)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 2], r"y has shape \(2,\), but X has 3 rows"),
        ([1, 2, 3, 4], r"y has shape \(4,\), but X has 3 rows"),
        ([[1], [2], [3]], r"y has shape \(3, 1\), but X has 3 rows"),
        ([1, NAN, 2], r"y\[1\] is nan; it must be finite"),
        ([1, 2, INF], r"y\[2\] is inf; it must be finite"),
        (["a", "b", "c"], "y must be 3 numbers"),
        (["1", "2", "3"], "y must be 3 numbers: text is not converted to numbers"),
        (np.arange(3).astype("m8[D]"), "y must be 3 numbers: times are not converted to numbers"),
        (None, "y"),
        (np.array([1j, 2, 3]), "y must be 3 numbers: complex ones are not allowed"),
        (np.ma.masked_array([1, 2, 3], [0, 1, 0]), f"y must be 3 {MASKED}"),
    ],
)
def test_bad_labels_are_refused_by_name(y, message):
    with pytest.raises(ValueError, match=message):
        Problem.from_arrays(np.zeros((3, 2)), y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], r"sample_weight has shape \(2,\), but X has 3 rows"),
        ([1, -0.5, 2], r"sample_weight\[1\] is -0.5; weights must be at least 0"),
        ([1, NAN, 2], r"sample_weight\[1\] is nan; it must be finite"),
        ([1, 2, INF], r"sample_weight\[2\] is inf; it must be finite"),
        (["x", 1, 2], "sample_weight must be 3 numbers"),
        (np.ma.masked_array([1, 2, 3], [0, 1, 0]), f"sample_weight must be 3 {MASKED}"),
    ],
)
def test_bad_weights_are_refused_by_name(weight, message):
    with pytest.raises(ValueError, match=message):
        Problem.from_arrays(np.zeros((3, 2)), Y, weight)


@pytest.mark.parametrize("bias", [NAN, INF, -INF, "no"])
def test_a_bias_is_finite(bias):
    with pytest.raises(ValueError, match=f"bias must be a finite number, got {bias}"):
        Problem.from_arrays(np.zeros((3, 2)), Y, bias=bias)


def test_with_bias_shares_the_rows():
    problem = Problem.from_arrays(matrix(), Y, [1, 2, 3])
    with_bias = problem.with_bias(2.0)
    assert with_bias.bias == 2.0
    assert with_bias.rows.values is problem.rows.values
    assert with_bias.weights is problem.weights
    assert (with_bias.n_features, with_bias.rows.width) == (3, 4)
    assert with_bias.with_bias(-1.0).rows.width == 3


@pytest.mark.parametrize("X", [matrix(), matrix(np.float32, np.int64), matrix().toarray()])
@pytest.mark.parametrize("chosen", [[0], [2, 0], [1, 1, 2], [0, 1, 2], []])
def test_take_chooses_rows_in_order(X, chosen):
    problem = Problem.from_arrays(X, Y, [0.5, 1.5, 2.5], bias=1.0)
    taken = problem.take(np.array(chosen, dtype=np.int64))
    full = X.toarray() if sparse.issparse(X) else X
    np.testing.assert_array_equal(taken.to_scipy().toarray(), full[chosen])
    assert taken.labels.tolist() == [Y[i] for i in chosen]
    assert taken.weights.tolist() == [0.5 + i for i in chosen]
    assert taken.bias == 1.0
    assert taken.n_features == 3
    assert not np.shares_memory(taken.rows.values, problem.rows.values)


def test_to_scipy_shares_memory():
    m = matrix()
    assert np.shares_memory(Problem.from_arrays(m, Y).to_scipy().data, m.data)


def test_slices_of_a_larger_matrix_keep_their_own_rows():
    # indptr that does not begin at 0: rows 1 and 2 of a matrix, its arrays uncut
    full = matrix()
    part = sparse.csr_array((2, 3))
    part.data, part.indices, part.indptr = full.data, full.indices, full.indptr[1:]
    problem = Problem.from_arrays(part, [1, 2])
    assert problem.rows.n_stored == 2
    np.testing.assert_array_equal(product(problem.rows, np.eye(3), 3), full.toarray()[1:])
    np.testing.assert_array_equal(
        problem.take(np.array([1, 0])).to_scipy().toarray(), full.toarray()[[2, 1]]
    )


def test_arrays_are_no_rows_and_labels_that_are_not_given_are_asked_for():
    with pytest.raises(TypeError, match=r"rows must be Rows, got ndarray; Problem.from_arrays"):
        Problem(np.eye(2), np.ones(2))
    with pytest.raises(ValueError, match="y is None; it must be 2 numbers, one for each row of X"):
        Problem.from_arrays(np.eye(2), None)
