"""NumPy's and SciPy's files, Parquet and Arrow, converted."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse

from rrmlinear import Problem
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.formats.asked import Asked
from rrmlinear.data.formats.opening import examples_of

N, D = 40_000, 20  # several pieces of arrays


def asked(beside):
    return Asked(**{field: str(name) for field, name in (beside or {}).items()})


@pytest.fixture
def data():
    """(sparse matrix, labels, weights, query ids)."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((N, D), density=0.2, rng=rng, format="csr")
    return X, rng.integers(0, 3, N), rng.random(N), rng.integers(0, 50, N)


@pytest.fixture
def converted(tmp_path):
    def call(source, beside=None):
        seen = []
        examples = examples_of(source, asked(beside))
        convert(examples, tmp_path / "out.rrm", lambda *pair: seen.append(pair), 100_000)
        assert seen == sorted(seen)
        assert examples.done == N
        return Problem.open(tmp_path / "out.rrm", verify=True)

    return call


def assert_same(problem, data, n_features=D):
    X, y, weights, ids = data
    assert problem.n_features == n_features
    assert np.array_equal(problem.to_scipy().toarray(), X.toarray()[:, :n_features])
    assert np.array_equal(problem.labels, y)
    assert weights is None or np.array_equal(problem.weights, weights)
    assert ids is None or np.array_equal(problem.query_ids, ids)


@pytest.mark.parametrize("compressed", [True, False])
def test_npz_of_scipy_with_labels_beside(tmp_path, data, converted, compressed):
    X, y, weights, ids = data
    sparse.save_npz(tmp_path / "X.npz", X, compressed=compressed)
    names = {"labels": y, "weights": weights, "query_ids": ids}
    beside = {field: tmp_path / f"{field}.npy" for field in names}
    for field, path in beside.items():
        np.save(path, names[field])
    assert_same(converted(tmp_path / "X.npz", beside=beside), data)


def test_npz_with_its_own_labels(tmp_path, data, converted):
    X, y, weights, ids = data
    np.savez(tmp_path / "a.npz", X=X.toarray(), y=y, sample_weight=weights, qid=ids)
    assert_same(converted(tmp_path / "a.npz"), data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, ">f8", bool])
def test_npy_of_any_numbers(tmp_path, data, converted, dtype):
    X = (100 * data[0].toarray()).astype(dtype)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", data[1])
    problem = converted(tmp_path / "X.npy", beside={"labels": tmp_path / "y.npy"})
    assert_same(problem, (sparse.csr_array(X.astype(float)), data[1], None, None))
    assert (problem.rows.values.dtype == np.float32) == (dtype is np.float32)


@pytest.mark.parametrize(("columns", "said"), [([3, 1], 0), ([1, 1], 1)])
def test_rows_are_put_in_order_and_sums_are_said(columns, said, tmp_path, converted):
    X = sparse.csr_array((np.arange(2.0 * N), np.tile(columns, N), np.arange(N + 1) * 2), (N, 5))
    sparse.save_npz(tmp_path / "X.npz", X)
    np.save(tmp_path / "y.npy", np.ones(N))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        problem = converted(tmp_path / "X.npz", beside={"labels": tmp_path / "y.npy"})
    assert len(caught) == said
    assert all("repeated column indices: repeated entries are" in str(w.message) for w in caught)
    assert np.array_equal(problem.to_scipy().toarray(), X.toarray())


def assert_refused(path, said, beside=None):
    with pytest.raises(ValueError, match=said):
        convert(examples_of(path, asked(beside)), path.parent / "out.rrm")
    assert not (path.parent / "out.rrm").exists()


def test_wrong_arrays_are_refused_in_words(tmp_path, data):
    X, y = data[:2]
    path, labels = tmp_path / "X.npz", tmp_path / "y.npy"
    np.save(labels, y)
    beside = {"labels": labels}
    sparse.save_npz(path, X)
    assert_refused(path, r"has no labels: name a \.npy file")
    np.save(labels, y[:-1])
    sparse.save_npz(path, X)
    assert_refused(path, r"y\.npy has shape \(39999,\), and .* 40000 examples", beside=beside)
    np.savez(path, a=y)
    assert_refused(path, "has neither a matrix X", beside=beside)
    np.save(labels, y)
    wrong = X.toarray()
    wrong[25_000, 3] = np.nan
    np.savez(path, X=wrong)
    assert_refused(path, r"X\[\d+, 3\] is nan.*count from row \d+ of the file", beside=beside)
    np.savez(path, X=X.toarray().astype(str))
    assert_refused(path, "holds <U.*, not numbers", beside=beside)
    np.savez(
        path, data=X.data, indices=X.indices + 15, indptr=X.indptr, shape=X.shape, format=b"csr"
    )
    assert_refused(path, "column index outside 0 … 19", beside=beside)
    np.save(tmp_path / "ids.npy", np.ones(N))
    np.savez(path, X=X.toarray())
    both = beside | {"query_ids": tmp_path / "ids.npy"}
    assert_refused(path, "must hold whole numbers", beside=both)
    text = tmp_path / "text"
    text.write_text("1 1:1\n")
    assert_refused(text, "--labels has no effect.*its labels, weights and", beside=beside)


def test_damaged_archives_are_refused_in_words(tmp_path, data):
    path = tmp_path / "X.npz"
    np.savez_compressed(path, X=data[0].toarray(), y=data[1])
    whole = path.read_bytes()
    for place in (200, len(whole) // 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert_refused(path, "X.npz")
    path.write_bytes(whole[:-30])
    assert_refused(path, "X.npz")


def test_values_that_do_not_fit_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", X=[[1.0], [1e300]], y=[1, 2])
    with pytest.raises(ValueError, match=r"the value 1e\+300 is too large for float32"):
        convert(examples_of(tmp_path / "a.npz"), tmp_path / "out.rrm", dtype=np.float32)


def test_a_container_is_converted_to_another_type(tmp_path, data, converted):
    np.savez(tmp_path / "a.npz", X=data[0].toarray(), y=data[1])
    convert(examples_of(tmp_path / "a.npz"), tmp_path / "a.rrm")
    convert(examples_of(tmp_path / "a.rrm"), tmp_path / "b.rrm", dtype=np.float32)
    values = Problem.open(tmp_path / "b.rrm").rows.values
    assert np.array_equal(values, Problem.open(tmp_path / "a.rrm").rows.values.astype(np.float32))


@pytest.fixture(params=["parquet", "file", "stream"])
def save(request, tmp_path):
    """Write columns as a table; its path."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    def write(**columns):
        table = pyarrow.table(columns)
        path = tmp_path / "table"
        if request.param == "parquet":
            parquet.write_table(table, path, row_group_size=11_000)
        else:
            opened = {"file": pyarrow.ipc.new_file, "stream": pyarrow.ipc.new_stream}
            with opened[request.param](path, table.schema) as writer:
                writer.write_table(table, 11_000)
        return path

    return write


def dense_columns(X):
    return {f"f{k}": column for k, column in enumerate(X.toarray().T)}


class TestTables:
    def test_columns(self, data, save, converted):
        X, y, weights, ids = data
        path = save(label=y, qid=ids, **dense_columns(X), sample_weight=weights)
        assert_same(converted(path), data)

    def test_columns_by_name(self, data, save, converted):
        X, y, weights, _ = data
        path = save(**dense_columns(X), what=y, cost=weights)
        problem = converted(path, beside={"labels": "what", "weights": "cost"})
        assert_same(problem, (X, y, weights, None))

    def test_lists_of_indices_and_values(self, data, save, converted):
        X, y = data[:2]
        rows = [X.indices[a:b] for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
        values = [X.data[a:b] for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
        path = save(y=y, indices=rows, values=values)
        assert_same(converted(path), (X, y, None, None), int(X.indices.max()) + 1)

    def test_wrong_tables_are_refused_in_words(self, data, save):
        X, y = data[:2]
        columns = dense_columns(X)
        assert_refused(save(**columns), "has no column 'label' or .*--labels")
        assert_refused(save(**columns), "has no column 'z'", beside={"labels": "z"})
        assert_refused(save(y=y, **columns, name=["a"] * N), "column 'name' of .* holds string")
        holes = [None, *columns["f1"][1:].tolist()]
        assert_refused(save(y=y, **(columns | {"f1": holes})), "column 'f1' of .* has nulls")
        nans = columns["f1"].copy()
        nans[7] = np.inf
        assert_refused(save(y=y, **(columns | {"f1": nans})), r"X\[\d, 1\] is inf")
        assert_refused(save(y=y, indices=[[0]] * N, values=[[1.0, 2.0]] * N), "differ in length")
        assert_refused(
            save(y=y, indices=[[-1]] * N, values=[[1.0]] * N), "must hold numbers from 0"
        )

    def test_damage_is_a_sentence(self, data, save):
        path = save(y=data[1], **dense_columns(data[0]))
        path.write_bytes(path.read_bytes()[:1000])
        assert_refused(path, "cannot be read")


def test_a_table_without_pyarrow_names_the_package(tmp_path):
    (tmp_path / "t").write_bytes(b"PAR1 and more")
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from rrmlinear.cli.command import run\n"
        "sys.exit(run('conversion', sys.argv[1:]))"
    )
    words = [sys.executable, "-c", script, tmp_path / "t", tmp_path / "t.rrm"]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "needs the package pyarrow: pip install 'rrmlinear[arrow]'" in ended.stderr
