"""Matrix Market, all forms of .npz, AnnData's and 10x's HDF5: which way is up, names and labels."""

import bz2
import gzip
import re
import warnings

import numpy as np
import pytest
from scipy import io, sparse

from rrmlinear import Problem
from rrmlinear.data.formats.beside import is_matrix

N, D = 30, 8


@pytest.fixture
def X():
    return sparse.random_array((N, D), density=0.4, rng=np.random.default_rng(0), format="csr")


@pytest.fixture
def words(tmp_path):
    """(labels, a file with one on each line)."""
    y = np.array(["T cell", "B cell", "NK"])[np.random.default_rng(1).integers(0, 3, N)]
    (tmp_path / "labels.txt").write_text("\n".join(y) + "\n")
    return y, str(tmp_path / "labels.txt")


def assert_same(problem, X, y):
    assert np.array_equal(problem.to_scipy().toarray(), X.toarray())
    found = problem.labels
    if problem.label_names is not None:
        found = np.array(problem.label_names)[found.astype(int) - 1]
    assert np.array_equal(found, y)


class TestMatrixMarket:
    @pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz"])
    def test_sizes_tell_which_way_is_up(self, tmp_path, X, words, suffix):
        y, labels = words
        path = str(tmp_path / f"m{suffix}")
        for matrix, turned in ((X, False), (X.T, True)):
            with (open if suffix == ".mtx" else gzip.open)(path, "wb") as file:
                io.mmwrite(file, matrix)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                assert_same(Problem.open(path, labels=labels), X, y)
            said = [str(each.message) for each in caught]
            assert len(said) == turned
            assert not turned or "is 8 x 30 and is turned: its columns are" in said[0]

    def test_a_square_one_is_turned_if_asked_for(self, tmp_path, X):
        square = X[:D]
        io.mmwrite(tmp_path / "m.mtx", square)
        np.save(tmp_path / "y.npy", np.arange(D))
        asked = {"labels": str(tmp_path / "y.npy")}
        assert_same(Problem.open(tmp_path / "m.mtx", **asked), square, np.arange(D))
        turned = Problem.open(tmp_path / "m.mtx", transpose=True, **asked)
        assert_same(turned, square.T, np.arange(D))

    def test_names_of_features(self, tmp_path, X, words):
        y, labels = words
        io.mmwrite(tmp_path / "m.mtx", X.T)
        genes = [f"ENSG{k}\t{'CD' if k < 2 else 'G'}{max(k, 1)}\tGene" for k in range(D)]
        (tmp_path / "features.tsv").write_text("\n".join(genes))
        with pytest.warns(UserWarning, match="is turned"):
            problem = Problem.open(
                tmp_path / "m.mtx", names=str(tmp_path / "features.tsv"), labels=labels
            )
        assert_same(problem, X, y)
        assert problem.feature_names[:3] == ("CD1 (ENSG0)", "CD1 (ENSG1)", "G2")

    def test_errors_say_what_is_wrong(self, tmp_path, X, words):
        _y, labels = words
        path = tmp_path / "m.mtx"
        io.mmwrite(path, X[:-1])
        with pytest.raises(ValueError, match=r"labels\.txt has shape \(30,\), and there are 29"):
            Problem.open(path, labels=labels)
        with pytest.raises(ValueError, match="has no labels: name a file"):
            Problem.open(path)
        (tmp_path / "names").write_text("a\nb\n")
        sparse.save_npz(tmp_path / "m.npz", X)
        for each in (path, tmp_path / "m.npz"):
            with pytest.raises(ValueError, match=r"has 2 names, and .* 8 features"):
                Problem.open(each, names=str(tmp_path / "names"), unlabelled=True)
        (tmp_path / "names").write_text("a\nb\na\n")
        with pytest.raises(ValueError, match="names, line 3: the name 'a' stands in line 1 too"):
            Problem.open(path, names=str(tmp_path / "names"), unlabelled=True)
        io.mmwrite(path, X.astype(complex))
        with pytest.raises(ValueError, match="holds complex numbers"):
            Problem.open(path, labels=labels)
        path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n")
        with pytest.raises(ValueError, match=r"m\.mtx cannot be read"):
            Problem.open(path, labels=labels)
        with pytest.raises(TypeError, match="no field 'label'; there are labels, "):
            Problem.open(path, label=labels)

    @pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".mtx.bz2"])
    @pytest.mark.parametrize(
        ("kind", "entry"),
        [("real", "1.5D+01"), ("real", "1,5"), ("real", "0x10"), ("integer", "1.5")],
    )
    def test_numbers_of_which_scipy_reads_a_part_are_refused(self, tmp_path, kind, entry, suffix):
        text = (
            f"%%MatrixMarket matrix coordinate {kind} general\n% of D\n2 2 2\n1 1 7\n2 2 {entry}\n"
        )
        openers = {".mtx": open, ".mtx.gz": gzip.open, ".mtx.bz2": bz2.open}
        with openers[suffix](tmp_path / f"m{suffix}", "wt") as file:
            file.write(text)
        with pytest.raises(ValueError, match=f"line 5: {re.escape(entry)} is no number"):
            Problem.open(tmp_path / f"m{suffix}", unlabelled=True)

    def test_every_form_of_a_number_is_read(self, tmp_path):
        text = "%%MatrixMarket matrix array real general\n% a\n1 7\n-1.\n.5\n1E3\n2e-1\n0\n-7\n8\n"
        (tmp_path / "m.mtx").write_text(text)
        problem = Problem.open(tmp_path / "m.mtx", unlabelled=True)
        right = [[-1, 0.5, 1000, 0.2, 0, -7, 8]]
        assert problem.to_scipy().toarray().tolist() == right


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_npz_of_every_form(tmp_path, X, words, form):
    y, labels = words
    sparse.save_npz(tmp_path / "m.npz", X.asformat(form))
    assert_same(Problem.open(tmp_path / "m.npz", labels=labels), X, y)


@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_in_either_order_with_labels_of_words(tmp_path, X, words, order):
    y = words[0]
    np.save(tmp_path / "m.npy", np.asarray(X.toarray(), order=order))
    np.save(tmp_path / "y.npy", y)
    assert_same(Problem.open(tmp_path / "m.npy", labels=tmp_path / "y.npy"), X, y)
    np.save(tmp_path / "m.npy", np.asarray(X.toarray().T, order=order))
    turned = Problem.open(tmp_path / "m.npy", labels=tmp_path / "y.npy", transpose=True)
    assert_same(turned, X, y)
    np.save(tmp_path / "y.npy", y.astype(object))
    assert not is_matrix(f"{tmp_path}/y.npy")
    with pytest.raises(ValueError, match=r"y\.npy .* Python objects, and array\.astype"):
        Problem.open(tmp_path / "m.npy", labels=tmp_path / "y.npy")


def test_labels_of_a_column_of_another_table(tmp_path, X, words):
    pytest.importorskip("pyarrow", reason="tables are read by pyarrow")
    y = words[0]
    rows = "".join(f"c{k},{word}\n" for k, word in enumerate(y))
    (tmp_path / "cells.csv").write_text("barcode,kind\n" + rows)
    sparse.save_npz(tmp_path / "m.npz", X)
    problem = Problem.open(tmp_path / "m.npz", labels=f"{tmp_path / 'cells.csv'}:kind")
    assert_same(problem, X, y)


def test_text_with_names(tmp_path):
    (tmp_path / "t").write_text("1 1:1 2:2\n2 2:1\n")
    (tmp_path / "names").write_text("a\nb\nc\n")
    problem = Problem.open(tmp_path / "t", names=str(tmp_path / "names"))
    assert problem.feature_names == ("a", "b", "c")
    assert problem.n_features == 3
    with pytest.raises(ValueError, match=r"--labels has no effect: .*LIBSVM text"):
        Problem.open(tmp_path / "t", labels="y")


class TestAnnotatedCells:
    @pytest.fixture
    def cells(self, X, words):
        anndata = pytest.importorskip("anndata", reason="it writes the files")
        pandas = pytest.importorskip("pandas")
        rng = np.random.default_rng(4)
        obs = pandas.DataFrame(
            {
                "kind": pandas.Categorical(words[0]),
                "barcode": [f"c{k}" for k in range(N)],
                "age": rng.integers(0, 9, N),
                "weight": rng.random(N),
                "is_old": rng.random(N) > 0.5,
            },
            index=[f"cell{k}" for k in range(N)],
        )
        names = pandas.DataFrame(index=[f"gene{k}" for k in range(D)])
        return lambda X: anndata.AnnData(X, obs, names)

    @pytest.mark.parametrize("form", ["csr", "csc", "dense"])
    def test_forms_of_x(self, tmp_path, X, words, cells, form):
        given = X.toarray() if form == "dense" else sparse.csr_matrix(X).asformat(form)
        cells(given).write_h5ad(tmp_path / "c.h5ad")
        problem = Problem.open(tmp_path / "c.h5ad", labels="obs:kind", weights="obs:weight")
        assert_same(problem, X, words[0])
        assert problem.feature_names == tuple(f"gene{k}" for k in range(D))
        assert problem.label_names == ("B cell", "NK", "T cell")
        ages = Problem.open(tmp_path / "c.h5ad", labels="obs:age")
        assert ages.label_names is None
        assert ages.labels.max() < 9
        assert set(Problem.open(tmp_path / "c.h5ad", labels="obs:is_old").labels) == {0.0, 1.0}
        assert len(Problem.open(tmp_path / "c.h5ad", labels="obs:barcode").label_names) == N
        assert_same(Problem.open(tmp_path / "c.h5ad", labels=words[1]), X, words[0])

    def test_errors_name_the_columns(self, tmp_path, X, cells):
        made = cells(sparse.csr_matrix(X))
        made.obs.loc["cell3", "kind"] = np.nan
        made.write_h5ad(tmp_path / "c.h5ad")
        with pytest.raises(ValueError, match=r"has no obs:knd; it has .*obs:kind"):
            Problem.open(tmp_path / "c.h5ad", labels="obs:knd")
        with pytest.raises(ValueError, match=r"neither a file nor a column of obs; .*obs:kind"):
            Problem.open(tmp_path / "c.h5ad", labels="kind")
        with pytest.raises(ValueError, match="has no value for 1 cells, the first is cell 3"):
            Problem.open(tmp_path / "c.h5ad", labels="obs:kind")
        with pytest.raises(ValueError, match="has no labels: name a column of obs"):
            Problem.open(tmp_path / "c.h5ad")
        with pytest.raises(ValueError, match="--transpose has no effect"):
            Problem.open(tmp_path / "c.h5ad", labels="obs:age", transpose=True)
        (tmp_path / "c.h5ad").write_bytes((tmp_path / "c.h5ad").read_bytes()[:900])
        with pytest.raises(ValueError, match=r"c\.h5ad (cannot be read|is damaged)"):
            Problem.open(tmp_path / "c.h5ad", labels="obs:age")

    def test_old_forms(self, tmp_path, X, words):
        """Files as AnnData 0.6 (compound arrays) and 0.7 (__categories) wrote them."""
        h5py = pytest.importorskip("h5py")
        levels, codes = np.unique(words[0], return_inverse=True)
        genes = np.array([f"gene{k}".encode() for k in range(D)])
        for version in ("0.6", "0.7"):
            path = tmp_path / f"{version}.h5ad"
            with h5py.File(path, "w") as file:
                group = file.create_group("X")
                for part in ("data", "indices", "indptr"):
                    group[part] = getattr(X, part)
                if version == "0.6":
                    group.attrs["h5sparse_format"], group.attrs["h5sparse_shape"] = "csr", X.shape
                    kinds = [("index", "S8"), ("kind", "i1")]
                    obs = [(f"cell{k}".encode(), code) for k, code in enumerate(codes)]
                    file["obs"] = np.array(obs, dtype=kinds)
                    file["var"] = np.array([(gene,) for gene in genes], dtype=[("index", "S8")])
                    file["uns/kind_categories"] = levels.astype("S")
                else:
                    group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", X.shape
                    file["obs/kind"] = codes.astype(np.int8)
                    file["obs/__categories/kind"] = levels.astype("S")
                    file["obs/kind"].attrs["categories"] = file["obs/__categories/kind"].ref
                    file["var/_index"] = genes
                    file["var"].attrs["_index"] = "_index"
            problem = Problem.open(path, labels="obs:kind")
            assert_same(problem, X, words[0])
            assert problem.feature_names[2] == "gene2"

    @pytest.mark.parametrize("version", [2, 3])
    def test_matrices_of_10x(self, tmp_path, X, words, version):
        h5py = pytest.importorskip("h5py")
        with h5py.File(tmp_path / "c.h5", "w") as file:
            group = file.create_group("matrix" if version == 3 else "GRCh38")
            counts = (10 * X).astype(np.int32)
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(counts, part)
            group["shape"] = (D, N)
            ids = [f"ENSG{k}".encode() for k in range(D)]
            names = [b"CD3"] * 2 + [f"g{k}".encode() for k in range(2, D)]
            group["barcodes"] = [f"c{k}".encode() for k in range(N)]
            if version == 3:
                group["features/id"], group["features/name"] = ids, names
            else:
                group["genes"], group["gene_names"] = ids, names
        problem = Problem.open(tmp_path / "c.h5", labels=words[1])
        assert_same(problem, (10 * X).astype(np.int32), words[0])
        assert problem.feature_names[:3] == ("CD3 (ENSG0)", "CD3 (ENSG1)", "g2")

    def test_other_hdf5_is_refused(self, tmp_path):
        h5py = pytest.importorskip("h5py")
        with h5py.File(tmp_path / "c.h5", "w") as file:
            file["images"] = np.ones(3)
        with pytest.raises(ValueError, match="holds images; X, obs and var of AnnData"):
            Problem.open(tmp_path / "c.h5", labels="y")


def test_several_matrices_are_one(tmp_path, X, words):
    y = words[0]
    for part, rows in (("a", slice(0, 10)), ("b", slice(10, N))):
        np.savez(tmp_path / f"{part}.npz", X=X[rows].toarray(), y=y[rows])
    assert_same(Problem.open(str(tmp_path / "[ab].npz")), X, y)
    (tmp_path / "b.npz").write_text("1 1:1\n")
    with pytest.raises(ValueError, match=r"is NumPy archive .* and .* LIBSVM text"):
        Problem.open(str(tmp_path / "[ab].npz"))
    with pytest.raises(FileNotFoundError, match="no file has a name of this pattern"):
        Problem.open(str(tmp_path / "z*.npz"))
