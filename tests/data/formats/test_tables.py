"""Tables: columns by name, words, categories, lists and Spark's vectors, in each kind of file."""

import gzip
import warnings
from decimal import Decimal

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.formats.asked import Asked
from rrmlinear.data.formats.opening import examples_of, read_file

pyarrow = pytest.importorskip("pyarrow", reason="tables are read by pyarrow")
N = 60


@pytest.fixture(params=["parquet", "arrow", "stream", "csv", "tsv", "csv.gz"])
def save(request, tmp_path):
    """Write columns as a file of each kind; its path. CSV gets plain columns."""
    from pyarrow import csv, feather, parquet

    def write(columns, name="t"):
        table = pyarrow.table(columns)
        path = tmp_path / f"{name}.{request.param}"
        if request.param == "parquet":
            parquet.write_table(table, path, row_group_size=17)
        elif request.param == "arrow":
            feather.write_feather(table, path, chunksize=17)
        elif request.param == "stream":
            with pyarrow.ipc.new_stream(path, table.schema) as writer:
                writer.write_table(table, 17)
        else:
            mark = "\t" if request.param == "tsv" else ","
            plain = tmp_path / "plain"
            csv.write_csv(table, plain, csv.WriteOptions(delimiter=mark))
            data = plain.read_bytes()
            path.write_bytes(gzip.compress(data) if request.param == "csv.gz" else data)
        return path

    return write


@pytest.fixture
def columns():
    rng = np.random.default_rng(3)
    colors = np.array(["red", "blue", "dark green"])
    return {
        "age": rng.integers(1, 90, N),
        "color": colors[rng.integers(0, 3, N)],
        "height": rng.normal(size=N),
        "species": np.array(["setosa", "virginica"])[rng.integers(0, 2, N)],
    }


def test_words_are_labels_and_columns_of_words_categories(save, columns):
    problem = Problem.open(save(columns), labels="species", categories=["all"])
    assert problem.label_names == ("setosa", "virginica")
    assert list(problem.feature_names) == [
        "age", "color=blue", "color=dark green", "color=red", "height"
    ]  # fmt: skip
    X = problem.to_scipy().toarray()
    assert np.array_equal(X[:, 0], columns["age"])
    assert np.array_equal(X[:, 3], columns["color"] == "red")
    assert np.allclose(X[:, 4], columns["height"], atol=0)
    assert np.array_equal(np.array(problem.label_names)[problem.labels.astype(int) - 1],
                          columns["species"])  # fmt: skip


def test_truth_values_are_words_as_the_file_has_them(save, tmp_path):
    path = save({"x": np.arange(4.0), "y": np.array([True, False, False, True])})
    is_text = path.suffix in (".csv", ".tsv", ".gz")
    for problem in (Problem.open(path), read_file(path, Asked())[0]):
        assert problem.labels.tolist() == [2, 1, 1, 2]
        assert problem.label_names == (("false", "true") if is_text else ("False", "True"))
    (tmp_path / "b.csv").write_text("x,y\n1,TRUE\n2,FALSE\n")
    assert Problem.open(tmp_path / "b.csv").label_names == ("FALSE", "TRUE")


def test_columns_of_a_model_are_taken_by_name(save, columns):
    names = ["height", "color=red", "color=violet", "age"]
    turned = {"extra": columns["age"], **dict(reversed(columns.items()))}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        problem = Problem.open(save(turned), features=names, labels="species")
    said = " ".join(str(each.message) for each in caught)
    assert "the model does not have 'extra': ignored" in said
    unseen = int((columns["color"] != "red").sum())
    assert "column 'color' of" in said
    assert f"{unseen} of {N} rows have a level" in said
    assert "'blue'" in said
    X = problem.to_scipy().toarray()
    assert np.array_equal(X[:, 3], columns["age"])
    assert np.array_equal(X[:, 0], columns["height"])
    assert not X[:, 2].any()
    del turned["height"]
    with pytest.raises(ValueError, match=r"lacks 1 of the model's 4 features, .* 'height'"):
        Problem.open(save(turned, "u"), features=names, labels="species")


def test_a_column_of_numbers_may_be_one_of_categories(save, columns):
    del columns["color"]
    columns["age"] = columns["age"] % 3
    problem = Problem.open(save(columns), labels="species", categories="age")
    assert list(problem.feature_names) == ["age=0", "age=1", "age=2", "height"]


def test_wrong_columns_are_named(save, columns):
    path = save(columns)
    with pytest.raises(ValueError, match=r"column 'color' of .* \(row 0 has .*--categories color"):
        Problem.open(path, labels="species")
    with pytest.raises(ValueError, match=r"has no column 'weight'; it has .*'age'"):
        Problem.open(path, labels="weight")
    with pytest.raises(ValueError, match=r"has no column 'label' or .*--labels"):
        Problem.open(path)
    with pytest.raises(ValueError, match=r"--categories: .* has no column 'colour'"):
        Problem.open(path, labels="species", categories=["colour"])
    with pytest.raises(ValueError, match=r"'color' of .* holds .*, not numbers"):
        Problem.open(path, labels="species", weights="color", categories=["all"])
    with pytest.raises(ValueError, match="--names has no effect"):
        Problem.open(path, labels="species", names="x")
    columns["species"] = np.array(["", "a"] * (N // 2))
    with pytest.raises(ValueError, match="the label '' is empty"):
        Problem.open(save(columns, "e"), labels="species", categories=["all"])


def test_files_without_labels(save, columns):
    del columns["species"], columns["color"]
    problem = Problem.open(save(columns), unlabelled=True)
    assert problem.n_features == 2
    assert not problem.labels.any()


def test_several_files_share_words_and_levels(save, columns, tmp_path):
    half = {name: column[: N // 2] for name, column in columns.items()}
    rest = {name: column[N // 2 :] for name, column in columns.items()}
    half["species"] = np.array(["setosa"] * (N // 2))
    paths = [save(half, "part-1"), save(rest, "part-2")]
    asked = {"labels": "species", "categories": ["all"]}
    whole = Problem.open(paths, **asked)
    pattern = Problem.open(tmp_path / "part-*", **asked)
    assert whole.n_examples == N
    assert whole.label_names == ("setosa", "virginica")
    assert np.array_equal(whole.to_scipy().toarray(), pattern.to_scipy().toarray())
    (tmp_path / "folder").mkdir()
    for path in paths:
        path.rename(tmp_path / "folder" / path.name)
    (tmp_path / "folder" / "_SUCCESS").touch()
    assert np.array_equal(Problem.open(tmp_path / "folder", **asked).labels, whole.labels)


def test_urls_are_read_by_fsspec(save, columns):
    fsspec = pytest.importorskip("fsspec", reason="URLs are read by fsspec")
    path = save(columns)
    asked = {"labels": "species", "categories": ["all"]}
    found = Problem.open(f"file://{path}", **asked)
    assert np.array_equal(found.labels, Problem.open(path, **asked).labels)
    with fsspec.open(f"memory://bucket/{path.name}", "wb") as file:
        file.write(path.read_bytes())
    assert Problem.open(f"memory://bucket/*{path.suffix}", **asked).n_examples == N
    with pytest.raises(FileNotFoundError):
        Problem.open("memory://bucket/none.csv")


class TestNested:
    """Columns that only files of types have."""

    @pytest.fixture
    def write(self, tmp_path):
        from pyarrow import parquet

        def call(**columns):
            parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet", row_group_size=17)
            return tmp_path / "t.parquet"

        return call

    @pytest.mark.parametrize("fixed", [True, False])
    def test_embeddings(self, write, fixed):
        vectors = np.random.default_rng(0).normal(size=(N, 5)).astype(np.float32)
        flat = pyarrow.array(vectors.ravel())
        ends = pyarrow.array(np.arange(0, 5 * N + 1, 5, dtype=np.int32))
        column = (
            pyarrow.FixedSizeListArray.from_arrays(flat, 5)
            if fixed
            else pyarrow.ListArray.from_arrays(ends, flat)
        )
        problem = Problem.open(write(y=np.arange(N), embedding=column))
        assert np.array_equal(problem.rows.values, vectors)
        assert problem.rows.values.dtype == np.float32
        assert problem.feature_names[4] == "embedding[4]"

    def test_lists_of_two_lengths_are_refused(self, write):
        path = write(y=[1, 2, 3], e=[[1.0, 2.0], [1.0, 2.0], [3.0]])
        with pytest.raises(ValueError, match=r"column 'e' .* a list of 1 numbers where .* has 2"):
            Problem.open(path)

    def test_vectors_of_spark(self, write):
        kind = pyarrow.struct({"type": pyarrow.int8(), "size": pyarrow.int32(),
                               "indices": pyarrow.list_(pyarrow.int32()),
                               "values": pyarrow.list_(pyarrow.float64())})  # fmt: skip
        rows = [
            {"type": 0, "size": 4, "indices": [1, 3], "values": [2.0, -1.0]},
            {"type": 1, "size": None, "indices": None, "values": [1.0, 0.0, 3.0, 4.0]},
            {"type": 0, "size": 4, "indices": [], "values": []},
        ]
        path = write(label=[0.0, 1.0, 0.0], features=pyarrow.array(rows, kind), age=[1, 2, 3])
        problem = Problem.open(path)
        expected = [[0, 2, 0, -1, 1], [1, 0, 3, 4, 2], [0, 0, 0, 0, 3]]
        assert np.array_equal(problem.to_scipy().toarray(), expected)
        rows[2]["size"] = 5
        path = write(label=[0.0, 1.0, 0.0], features=pyarrow.array(rows, kind))
        with pytest.raises(ValueError, match="a vector of size 5 where the first has 4"):
            Problem.open(path)

    def test_dictionaries_and_runs(self, tmp_path):
        runs = pyarrow.RunEndEncodedArray.from_arrays([2, 5], [1.5, 2.5])
        words = pyarrow.array(["a", "b", "a", "c", "a"]).dictionary_encode()
        views = pyarrow.array(["k"] * 5, pyarrow.string_view())
        table = pyarrow.table({"y": words, "x": runs, "c": words, "v": views})
        with pyarrow.ipc.new_file(tmp_path / "t", table.schema) as writer:
            writer.write_table(table)
        problem = Problem.open(tmp_path / "t", categories=["c", "v"])
        assert problem.feature_names[-1] == "v=k"
        assert problem.label_names == ("a", "b", "c")
        assert problem.labels.tolist() == [1, 2, 1, 3, 1]
        assert problem.to_scipy().toarray()[:, 0].tolist() == [1.5, 1.5, 2.5, 2.5, 2.5]

    def test_decimals_are_numbers(self, write):
        """As Spark and databases write prices."""
        prices = pyarrow.array([Decimal("1.25"), Decimal("-3.50"), Decimal(0)])
        problem = Problem.open(write(y=prices, x=prices.cast(pyarrow.decimal256(50, 2))))
        assert problem.labels.tolist() == problem.rows.values.ravel().tolist() == [1.25, -3.5, 0.0]

    def test_an_index_of_pandas_is_no_feature(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"x": [1.0, 2.0], "y": ["b", "a"]}, index=[7, 9])
        frame.astype({"y": "category"}).to_parquet(tmp_path / "t.parquet")
        problem = Problem.open(tmp_path / "t.parquet")
        assert list(problem.feature_names) == ["x"]
        assert problem.label_names == ("a", "b")


class TestSeparatedValues:
    @pytest.fixture
    def write(self, tmp_path):
        def call(text, name="t.csv"):
            (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
            return tmp_path / name

        return call

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("1,2\n3,4\n", "line 1: found the number '1' where the name of a column"),
            (",y\n0,1\n", "column 1 has no name.*index=False"),
            ("", "has no header"),
            ("x,x,y\n1,2,3\n", "has 2 columns 'x'"),
            ("x,y\n1,2\n3\n", "cannot be read: .*Expected 2 columns, got 1"),
            ("x,y\n1,2\n,4\n", "column 'x' of .* has nulls, the first in row 1"),
            ("x,y\n1,2\nnan,4\n3.5,1\n", "has nulls, the first in row 1"),
            ("x,y\n1,2\ninf,4\n", "is inf.*column 0 is 'x'"),
            ("x,y\n1,2\nfoo,4\n", r"column 'x' .* \(row 1 has 'foo'\)"),
            ("x,y\n", "column 'y' of .* holds no values"),
            ("x,y\n1,\udce9\n", "column 'y' of .* holds bytes that are not UTF-8"),
            ("\udce9,y\n1,2\n", "line 1: byte 233 is not UTF-8"),
        ],
    )
    def test_wrong_text_is_told(self, write, text, said):
        with pytest.raises(ValueError, match=said):
            Problem.open(write(text), labels="y")

    def test_semicolons_and_marks_of_order(self, write):
        problem = Problem.open(write("\ufeffx;y\n1;b\n2;a\n"))
        assert problem.label_names == ("a", "b")
        assert problem.labels.tolist() == [2, 1]

    def test_names_with_the_mark_of_levels(self, write):
        path = write("a=b,a,y\nu,p,0\nv,q,1\n")
        names = list(Problem.open(path, categories="all").feature_names)
        assert names == ["a=b=u", "a=b=v", "a=p", "a=q"]
        again = Problem.open(path, features=names, unlabelled=True)
        assert again.to_scipy().toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
        with pytest.raises(ValueError, match="has 2 features 'a=u'"):
            Problem.open(write("a,a=u,y\nu,1,1\n"), categories="all")

    def test_numbers_with_a_point_behind_whole_ones_are_streamed(self, write, tmp_path):
        lines = ["1,1,123456789012"] * 400_000 + ["2.5,2,0.5"]
        path = write("x,y,c\n" + "\n".join(lines) + "\n")
        convert(examples_of(path, Asked(categories=("c",))), tmp_path / "t.rrm")
        problem = Problem.open(tmp_path / "t.rrm")
        assert problem.n_examples == len(lines)
        assert list(problem.feature_names) == ["x", "c=0.5", "c=123456789012"]
        assert problem.to_scipy().toarray()[-1].tolist() == [2.5, 1.0, 0.0]
        path = write("c,y\n9007199254740993,1\n9007199254740992,0\n")
        with pytest.raises(ValueError, match=r"has categories of 2\^53 or more, which blocks"):
            convert(examples_of(path, Asked(categories=("c",))), tmp_path / "t.rrm")
