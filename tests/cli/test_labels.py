"""The commands convert and info on files with several labels an example."""

from __future__ import annotations

import lzma

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from rrmlinear import read_multilabel, read_texts
from rrmlinear.data.array_rows import csr_of

TEXTS = "1\tuk sports\tThe cup final: Leeds, again\n2\t\tNothing to tell\n3\tart\tThe final show\n"


def facts(printed):
    lines = printed[: printed.index("to try:")].splitlines()
    return dict(line.split("  ", 1) for line in lines)


def test_info_tells_the_labels(call, folder):
    (folder / "data").write_text("3,17 1:0.5 2:1\n 2:1\n3\n3,4 1:1\n")
    code, out, said = call("information", "data")
    assert (code, said) == (0, "")
    told = {name: value.strip() for name, value in facts(out).items()}
    assert told["rows"] == "4"
    assert told["features"] == "2"
    assert told["stored values"] == "4, 50.000% of the matrix"
    assert told["labels"] == "3"
    assert told["labels a row, mean"] == "1.25"
    assert told["rows of a label, median"] == "1, from 1 to 3"
    assert told["rows without labels"] == "1"
    assert told["rows without features"] == "1"
    assert out.splitlines()[-1].endswith("python -m rrmlinear.train -s 1 -B 1 data")


def test_info_of_a_header(call, folder):
    with lzma.open(folder / "data.xz", "wb") as file:
        file.write(b"2 5 4\n0 4:0.5\n0,2 1:1\n")
    assert call("information", "--report", "page.html", "data.xz")[0] == 0
    assert "labels without rows" in (folder / "page.html").read_text()
    out = call("information", "data.xz")[1]
    assert facts(out)["labels without rows"].strip() == "2"
    assert facts(out)["features"].strip() == "5"
    (folder / "wrong").write_text("3 5 4\n0 4:0.5\n")
    assert call("information", "wrong") == (
        1,
        "",
        "ERROR: wrong has 1 examples, but its header says 3: examples, features and labels are "
        "expected there\n",
    )


def test_one_label_a_line_is_told_as_before(call, folder):
    (folder / "data").write_text("1\t1:1\t2:1\n2\t1:1\n")
    assert "classes" in call("information", "data")[1]


def test_a_header_becomes_comma_labels(call, folder):
    (folder / "xmc.txt").write_text("2 5 4\n0,2 0:1 4:0.5\n 3:1\n")
    assert call("conversion", "xmc.txt", "out.libsvm") == (
        0,
        "2 examples, 5 features, 3 stored values, 4 labels\n",
        "",
    )
    assert (folder / "out.libsvm").read_text() == "0,2 1:1 5:0.5\n 4:1\n"


def test_a_pair_of_matrices(call, folder):
    X = sparse.random_array((6, 5), density=0.5, rng=np.random.default_rng(0), format="csr")
    Y = (np.arange(18).reshape(6, 3) % 4 == 0).astype(bool)
    sparse.save_npz("X.npz", X)
    sparse.save_npz("Y.npz", sparse.csr_matrix(Y))
    np.save("Y.npy", Y)
    np.savez("archive.npz", X=X.toarray())
    np.savetxt("X.csv", X.toarray(), delimiter=",", header="a,b,c,d,e", comments="")
    for number, (source, labels) in enumerate(
        [("X.npz", "Y.npz"), ("X.npz", "Y.npy"), ("archive.npz", "Y.npz"), ("X.csv", "Y.npz")]
    ):
        target = f"{number}.libsvm.gz"
        code, out, said = call("conversion", "--labels", labels, source, target)
        assert (code, out, said) == (0, "6 examples, 5 features, 15 stored values, 3 labels\n", "")
        found = read_multilabel(target, n_features=5)
        assert_array_equal(csr_of(found.rows).toarray(), X.toarray())
        assert_array_equal(found.labels.matrix().toarray(), Y)
        assert (
            "labels                         3" in call("information", "--labels", labels, source)[1]
        )


def test_texts_become_tf_idf_values(call, folder):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    (folder / "train.txt").write_text(TEXTS)
    (folder / "test.txt").write_text("9\tart\tA new show\n")
    code, out, said = call("conversion", "--save-terms", "terms", "train.txt", "train.libsvm")
    assert (code, said) == (0, "")
    assert out == "3 examples, 9 features, 11 stored values, 3 labels\n"
    found = read_multilabel("train.libsvm")
    assert found.labels.names.tolist() == ["art", "sports", "uk"]
    assert found.labels.matrix().toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    vectorizer = text.TfidfVectorizer()
    texts = [line.split("\t")[2] for line in TEXTS.splitlines()]
    assert_array_equal(csr_of(found.rows).toarray(), vectorizer.fit_transform(texts).toarray())
    assert call("conversion", "--terms", "terms", "test.txt", "test.libsvm")[0] == 0
    test = read_multilabel("test.libsvm", n_features=9)
    expected = vectorizer.transform(["A new show"]).toarray()
    assert_array_equal(csr_of(test.rows).toarray(), expected)


def test_the_texts_are_read(folder):
    (folder / "three").write_bytes(TEXTS.encode() + b"\n4\tuk\tS\xc3\xa3o\r\n")
    texts, labels = read_texts("three")
    assert texts[2:] == ["The final show", "São"]
    assert labels.names.tolist() == ["art", "sports", "uk"]
    assert labels.matrix().toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]]
    (folder / "two").write_text("10 9\ta b\n9\tc")
    texts, labels = read_texts("two")
    assert (texts, labels.names.tolist()) == (["a b", "c"], [9, 10])
    assert read_texts("two", names=[10, 9, 8])[1].names.tolist() == [10, 9, 8]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"uk\ta\n1\tuk\tb\n", "line 2 has 3 columns, and the first line 2; labels and text"),
        (b"a b c\n", "line 1 has 1 columns; labels and text are expected"),
        (b"uk\ta\nuk -2\tb\n", "line 2: the label '-2' is negative"),
        (b"uk\ta\nuk\t\xff\n", "line 2: the text is not UTF-8"),
        (b"\n", "has no examples"),
    ],
)
def test_texts_that_are_none(folder, text, sentence):
    (folder / "texts").write_bytes(text)
    with pytest.raises(ValueError, match=sentence):
        read_texts("texts")


def test_errors_of_conversion(call, folder):
    (folder / "data").write_text("3,17 1:0.5\n")
    (folder / "one").write_text("1 1:0.5\n")
    (folder / "texts").write_text(TEXTS)
    (folder / "terms").write_text("cup 1.5\n")
    np.save("y.npy", np.ones(3))
    np.save("Y.npy", np.eye(3))
    np.save("X.npy", np.eye(2))

    def said(*words):
        code, _, said = call("conversion", *words)
        assert code == 1
        return said

    assert "--terms is for texts, tab-separated lines" in said(
        "--terms", "terms", "one", "a.libsvm"
    )
    assert "--save-terms is for texts" in said("--save-terms", "t", "data", "a.libsvm")
    assert "terms, line 1: a word, a tab and a number" in said(
        "--terms", "terms", "texts", "a.libsvm"
    )
    assert "Y.npy has 3 rows, and X.npy has 2" in said("--labels", "Y.npy", "X.npy", "a.libsvm")
    assert "has no weights" in said("--labels", "Y.npy", "--weights", "y.npy", "X.npy", "a.libsvm")
    assert "--labels has no effect: one is" in said("--labels", "Y.npy", "one", "a.libsvm")
    assert "cannot be the file of terms too" in said(
        "--save-terms", "a.libsvm", "texts", "a.libsvm"
    )
    assert not (folder / "a.libsvm").exists()
