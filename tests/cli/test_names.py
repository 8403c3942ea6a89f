"""Words as labels, names of features and categories through train, predict, info and convert."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from rrmlinear import Model, Parameter, Problem, fit

pytest.importorskip("pyarrow", reason="tables are read by pyarrow")
ASKED = ("--labels", "kind", "--categories", "all")
KINDS = ("setosa", "versicolor", "Iris virginica")


@pytest.fixture
def flowers(folder, iris):
    """Write lines of iris as CSV with words and a column of colors."""

    def write(path, chosen, columns=("length", "width", "petal", "depth", "color", "kind")):
        lines = Path(iris).read_text().splitlines()[chosen]
        rows = []
        for k, line in enumerate(lines):
            label, *pairs = line.split()
            found = {int(i): v for i, v in (pair.split(":") for pair in pairs)}
            names = enumerate(("length", "width", "petal", "depth"), 1)
            row = {name: found.get(j, "0") for j, name in names}
            row |= {"color": "blue" if k % 3 else "red", "kind": KINDS[int(label) - 1]}
            rows.append(",".join(row[name] for name in columns))
        Path(path).write_text("\n".join([",".join(columns), *rows]) + "\n")

    write("train.csv", slice(None))
    return write


def test_words_come_back(flowers, train, predict, info):
    flowers("train.csv", slice(0, None, 2))
    flowers("test.csv", slice(1, None, 2), ("kind", "color", "depth", "petal", "width", "length"))
    made = train("-q", "-B", "1", *ASKED, "train.csv", "model")
    assert (made.code, made.err) == (0, "")
    ended = predict.done("--labels", "kind", "test.csv", "model", "out")
    found = Path("out").read_text().splitlines()
    true = [line.split(",")[0] for line in Path("test.csv").read_text().splitlines()[1:]]
    share = 100 * np.mean(np.array(found) == true)
    assert share > 70
    assert f"Accuracy = {share:g}%" in ended.out
    model = Model.load("model")
    assert set(model.label_names) == set(KINDS)
    assert model.feature_names[4:] == ("color=blue", "color=red")
    shown = info(*ASKED, "train.csv").out
    assert "length, width, petal, depth, color=blue, color=red" in shown
    assert "label Iris virginica" in shown
    assert f"rrmlinear.train -s 1 {' '.join(ASKED)} train.csv\n" in shown


def test_probabilities_quote_words_with_blanks(flowers, train, predict):
    assert train("-q", "-s", "0", *ASKED[:3], "color", "train.csv", "model").code == 0
    assert predict("-b", "1", "train.csv", "model", "out").out == ""  # no labels were named
    head, first = Path("out").read_text().splitlines()[:2]
    names = Model.load("model").label_names
    quoted = ['"Iris virginica"' if " " in name else name for name in names]
    assert head == "labels " + " ".join(quoted)
    word, *numbers = first.rsplit(" ", 3)
    assert word in quoted
    assert abs(sum(map(float, numbers)) - 1) < 1e-4


def test_unseen_levels_are_told_and_lacking_columns_refused(flowers, train, predict):
    assert train("-q", *ASKED, "train.csv", "model").code == 0
    text = Path("train.csv").read_text()
    Path("test.csv").write_text(text.replace("red", "violet"))
    ended = predict.done("--labels", "kind", "test.csv", "model", "out")
    assert "column 'color' of test.csv: " in ended.err
    assert "a level that the model does not know ('violet')" in ended.err
    Path("test.csv").write_text(text.replace("petal", "petals"))
    said = predict("--labels", "kind", "test.csv", "model", "out").err
    assert said == "ERROR: test.csv lacks 1 of the model's 6 features, the first is 'petal'\n"


def test_words_of_digits_stay_words(train, predict, iris):
    assert train("-wx", "1", iris, "m").err == "ERROR: -wi: i takes a whole number, not 'x'\n"
    lines = ["x,y,z,kind", "1,0,0,3", "0,1,0,a", "0,0,1,b"]
    Path("k.csv").write_text("\n".join(lines) + "\n")
    Path("t.csv").write_text("\n".join(lines[:2]) + "\n")
    asked = ("--labels", "kind", "--report-test", "t.csv", "--report", "p.html", "k.csv", "m")
    assert train("-q", "-w3", "5", *asked).err == ""
    weighed = fit(Problem.open("k.csv", labels="kind"), Parameter(class_weights={1: 5.0}))
    assert np.array_equal(Model.load("m").weights, weighed.weights)
    assert predict("--labels", "kind", "t.csv", "m", "out").out == "Accuracy = 100% (1/1)\n"
    assert "100.00% (1 of 1)" in Path("p.html").read_text(encoding="utf-8")


def test_a_regression_refuses_words(flowers, train):
    error = train.error("-s", "11", *ASKED, "train.csv", "model")
    assert error.startswith("ERROR: the labels are words, such as 'Iris virginica'")


def test_containers_keep_names_and_text_tells_them(flowers, train, predict, convert):
    assert convert(*ASKED, "train.csv", "t.rrm").code == 0
    assert convert("t.rrm", "u.rrm").code == 0
    said = convert("u.rrm", "t.libsvm").err
    assert "LIBSVM text has no names: those of the features are left out; label 1 is Iris" in said
    assert "2 is setosa, 3 is versicolor" in said
    for how, model in (((*ASKED, "train.csv"), "a"), (("u.rrm",), "b")):
        assert train("-q", *how, model).code == 0
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert predict("-q", "t.libsvm", "a", "out").code == 0
    assert set(Path("out").read_text().split("\n")) - {""} <= set(KINDS)
    assert "Accuracy" in predict("t.libsvm", "a", "out").out


def test_containers_are_taken_by_their_names(flowers, train, predict, convert):
    assert train("-q", *ASKED, "train.csv", "m").code == 0
    lines = [line.split(",")[::-1] for line in Path("train.csv").read_text().splitlines()]
    turned = [",".join([*line, "more" if k == 0 else "7"]) for k, line in enumerate(lines)]
    for kept in (turned, [line for line in turned if "red" not in line]):  # a level without rows
        Path("t.csv").write_text("\n".join(kept) + "\n")
        assert convert(*ASKED, "t.csv", "t.rrm").code == 0
        ended = predict("t.rrm", "m", "out")
        assert ended.out == predict(*ASKED[:2], "t.csv", "m", "right").out
        assert "t.rrm: the model does not have 'more': ignored" in ended.err
        assert Path("out").read_bytes() == Path("right").read_bytes()
        with pytest.warns(UserWarning, match="the model does not have 'more'"):
            predicted = Model.load("m").predict(Problem.open("t.rrm"))
        assert predicted.tolist() == Path("right").read_text().split("\n")[:-1]
    Path("t.csv").write_text("\n".join(turned).replace("petal", "petals"))
    assert convert(*ASKED, "t.csv", "t.rrm").code == 0
    assert "t.rrm lacks 1 of the model's 6 features" in predict("t.rrm", "m", "out").err


def test_cross_validation_and_search_take_words(flowers, train):
    assert "Cross Validation Accuracy = " in train("-v", "3", *ASKED, "train.csv").out
    assert "Best C" in train("-q", "-C", *ASKED, "train.csv").out


def test_pages_have_the_names(flowers, train):
    pytest.importorskip("plotly", reason="pages are made by plotly")
    assert train("-q", *ASKED, "--report", "page.html", "train.csv", "model").code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "color=red" in page
    assert "label setosa" in page


def test_liblinear_reads_a_model_with_names(flowers, train, convert):
    folder = os.environ.get("LIBLINEAR_PROGRAMS")
    if not folder:
        pytest.skip("LIBLINEAR_PROGRAMS does not name LIBLINEAR's programs")
    assert train("-q", "-s", "2", *ASKED, "train.csv", "model").code == 0
    assert convert("-q", *ASKED, "train.csv", "t.libsvm").code == 0
    words = [Path(folder) / "predict", "t.libsvm", "model", "out"]
    assert "Accuracy = " in subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('label_names ["a", "b"]', "label_names has 2 names, and there are 3"),
        ('label_names ["a", "b"', "found 'label_names"),
        ("label_names [1, 2, 3]", "found 'label_names"),
        ('feature_names ["a"]', "feature_names has 1 names, and there are 6"),
        ("0.5", "found '0.5' after the 6 lines of weights"),
    ],
)
def test_damaged_names_are_told(line, said, flowers, train, predict):
    assert train("-q", *ASKED, "train.csv", "model").code == 0
    kept = [each for each in Path("model").read_text().splitlines() if "names" not in each]
    Path("model").write_text("\n".join([*kept, line, ""]))
    assert said in predict.error("train.csv", "model", "out")


def test_several_files_and_folders(flowers, train, predict, folder):
    (folder / "parts").mkdir()
    flowers("parts/a.csv", slice(0, 40))
    flowers("parts/b.csv", slice(40, None))
    assert train("-q", *ASKED, "parts", "a").code == 0
    assert train("-q", *ASKED, "parts/*.csv", "b").code == 0
    assert Path("a").read_bytes() == Path("b").read_bytes()
    ended = train(*ASKED, "parts/*.csv")
    assert "training from several files or a URL needs the name of a model_file" in ended.err
    assert train(*ASKED, "parts/*.tsv", "m").err.startswith("can't open input file parts/*.tsv\n")
    assert "Accuracy" in predict("--labels", "kind", "parts", "a", "out").out


def test_options_of_reading_are_refused_where_they_do_nothing(train, iris):
    for flag in (("--labels", "y"), ("--categories", "all"), ("--transpose",)):
        assert f"{flag[0]} has no effect" in train(*flag, iris, "m").err


def test_workers_and_caches_take_text_alone(flowers, train):
    ended = train("--dask", "local:2", "--labels", "kind", "train.csv", "m")
    assert "workers read LIBSVM text and containers, and train.csv is separated values" in ended.err
    ended = train("-q", "--cache", "--labels", "kind", "--categories", "all", "train.csv", "m")
    assert "--cache has no effect: train.csv is separated values" in ended.err
    assert not Path("train.csv.cache.rrm").exists()
