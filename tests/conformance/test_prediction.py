"""Prediction beside LIBLINEAR, with its models and with ours."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import written

from rrmlinear.catalog.losses import LOSSES

TYPES = ("0", "1", "2", "3", "4", "5", "6", "7", "11", "12", "13", "21")
MODELS = [
    (number, data)
    for number in TYPES
    for data in (["real"] if number in ("11", "12", "13") else ["two", "three", "one"])
]


def numbers_of(path):
    return [[float(word) for word in line.split() if word != "labels"] for line in open(path)]


@pytest.mark.parametrize(("number", "name"), MODELS)
@pytest.mark.parametrize("trainer", ["ours", "theirs"])
def test_the_same_labels(number, name, trainer, liblinear, ours, folder):
    if number in liblinear.lacks:
        pytest.skip("that version has not got this")
    train = (ours if trainer == "ours" else liblinear).train
    assert train("-q", "-s", number, "-B", "-1" if number == "21" else "1", name, "m").code == 0
    mine, theirs = ours.predict(name, "m", "a"), liblinear.predict(name, "m", "b")
    assert (mine.code, mine.err) == (theirs.code, theirs.err) == (0, "")
    if number in ("11", "12", "13"):
        np.testing.assert_allclose(numbers_of("a"), numbers_of("b"), rtol=1e-9, atol=1e-12)
        assert len(mine.out.splitlines()) == len(theirs.out.splitlines()) == 2
    else:
        assert (folder / "a").read_text() == (folder / "b").read_text()
        assert mine.out == theirs.out


#: Rows without features, with a feature that no example has, and with one beyond the model's.
LINES = ("1 1:1 3:1 5:2\n", "-1 1:-1 3:2 5:1\n", "3 2:1 5:1\n")
BARE = "1\n-1\n3\n1 4:1\n-1 4:2\n2 99:1\n1 1:1 3:2\n"


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("trainer", ["ours", "theirs"])
def test_rows_whose_scores_are_zero(number, trainer, liblinear, ours, folder):
    if number in liblinear.lacks:
        pytest.skip("that version has not got this")
    (folder / "bare").write_text(BARE)
    train = (ours if trainer == "ours" else liblinear).train
    for order in ("0", "01", "10", "02", "21", "012", "201"):
        (folder / "data").write_text("".join(LINES[int(at)] for at in order))
        assert train("-q", "-s", number, "data", "m").code == 0
        mine, theirs = ours.predict("bare", "m", "a"), liblinear.predict("bare", "m", "b")
        assert mine.code == theirs.code == 0
        np.testing.assert_allclose(numbers_of("a"), numbers_of("b"), rtol=1e-9, atol=1e-12)
        assert number in ("11", "12", "13") or mine.out == theirs.out


@pytest.mark.parametrize("number", [each for each in TYPES if each not in ("11", "12", "13")])
@pytest.mark.parametrize("name", ["two", "three", "one"])
def test_ties_of_models_of_whole_numbers(number, name, liblinear, ours, folder):
    if number in liblinear.lacks:
        pytest.skip("that version has not got this")
    rng = np.random.default_rng(int(number))
    X = rng.integers(-1, 2, size=(300, 8))
    written(folder / "ties", rng.choice([1, -1, 2, 3], size=300), X)
    assert liblinear.train("-q", "-s", number, name, "m").code == 0
    head, _, weights = (folder / "m").read_text().partition("\nw\n")
    k = len(weights.splitlines()[0].split())
    rows = "\n".join(" ".join(map(str, row)) + " " for row in rng.integers(-1, 2, size=(8, k)))
    head = "\n".join("rho 1" if line.startswith("rho") else line for line in head.splitlines())
    (folder / "m").write_text(f"{head}\nw\n{rows}\n")
    probabilities = ["-b", "1"] if number in ("0", "6", "7") else []
    for words in ([], probabilities):
        mine, theirs = (
            each.predict(*words, "ties", "m", each.__class__.__name__) for each in (ours, liblinear)
        )
        assert mine.code == theirs.code == 0
        assert mine.out == theirs.out
        assert numbers_of("Ours") == numbers_of(liblinear.__class__.__name__)


@pytest.mark.parametrize("number", ["0", "6", "7"])
@pytest.mark.parametrize("name", ["two", "three", "one"])
def test_the_same_probabilities(number, name, liblinear, ours, folder):
    assert ours.train("-q", "-s", number, name, "m").code == 0
    assert ours.predict("-b", "1", name, "m", "a").code == 0
    assert liblinear.predict("-b", "1", name, "m", "b").code == 0
    first = [(folder / name).read_text().splitlines()[0] for name in ("a", "b")]
    assert first[0] == first[1]
    np.testing.assert_allclose(numbers_of("a")[1:], numbers_of("b")[1:], rtol=1e-5, atol=1e-7)


def test_no_probabilities_of_machines(liblinear, ours, folder):
    assert ours.train("-q", "two", "m").code == 0
    mine, theirs = (each.predict("-b", "1", "two", "m", "a") for each in (ours, liblinear))
    assert mine.code == theirs.code == 1
    assert theirs.err == "probability output is only supported for logistic regression\n"
    assert mine.err == (
        theirs.err + "the loss of m is squared-hinge, which has no probabilities for -b 1\n"
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_models_of_all_losses_for_their_predict(loss, liblinear, ours, folder):
    row = LOSSES[loss]
    data = "shares" if row.labels is not None else "real" if row.kind == "regression" else "three"
    assert ours.train("-q", "--liblinear-model", "--loss", loss, data, "m").code == 0
    assert ours.train("-q", "--loss", loss, data, "own").code == 0
    assert liblinear.predict(data, "m", "b").code == 0
    assert ours.predict(data, "own", "a").code == 0
    theirs = np.array(numbers_of("b"))
    if row.labels is not None:  # their program gives scores, ours the means
        theirs = row.means(theirs)
    np.testing.assert_allclose(numbers_of("a"), theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        ("--loss", "softmax", "--lower", "0"),
        ("--loss", "softmax", "--regularizer", "l1", "--l1", "0.5"),
        ("--loss", "weston-watkins", "-R", "-B", "1"),
        ("--loss", "crammer-singer", "-R", "-B", "1"),
        ("-s", "30"),
        ("-s", "31"),
    ],
    ids=" ".join,
)
def test_models_of_two_columns_for_their_predict(words, program, ours, folder):
    with open("two") as file:
        (folder / "test").write_text(BARE + file.read())
    for more, name in (((), "own"), (("--liblinear-model",), "m")):
        assert ours.train("-q", *words, *more, "two", name).code == 0
    assert ours.predict("-q", "test", "own", "a").code == 0
    assert ours.predict("-q", "test", "m", "c").code == 0
    assert program.predict("-q", "test", "m", "b").code == 0
    assert numbers_of("a") == numbers_of("b") == numbers_of("c")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("absent", "m", "out"), "can't open input file absent"),
        (("two", "absent", "out"), "can't open model file absent"),
        (("two", "m", "no/folder/out"), "can't open output file no/folder/out"),
        (("two", "bad", "out"), "unknown solver type."),
        (("two", "text", "out"), "unknown text in model file: [bogus]"),
        (("-x", "two", "m", "out"), ""),
        ((), ""),
        (("two",), ""),
    ],
)
def test_what_predict_refuses(words, sentence, program, ours, folder):
    assert ours.train("-q", "two", "m").code == 0
    text = (folder / "m").read_text()
    (folder / "bad").write_text(text.replace("L2R_L2LOSS_SVC_DUAL", "NONSENSE"))
    (folder / "text").write_text(text.replace("nr_class", "bogus"))
    mine, theirs = ours.predict(*words), program.predict(*words)
    assert mine.code == theirs.code == 1
    assert sentence in theirs.err
    assert any(line.startswith(sentence) for line in mine.err.splitlines())


def test_a_bad_line(program, ours, folder):
    assert ours.train("-q", "two", "m").code == 0
    (folder / "test").write_text("1 1:1\n1 2:x\n")
    mine, theirs = (each.predict("test", "m", "out") for each in (ours, program))
    assert mine.code == theirs.code == 1
    assert theirs.err.splitlines()[0] == mine.err.splitlines()[0] == "Wrong input format at line 2"


def test_model_files_that_only_they_take(program, ours, folder):
    (folder / "bare").write_text("1\n-1\n")
    assert program.train("-q", "-B", "1", "bare", "without").code == 0
    assert "nr_feature 0" in (folder / "without").read_text()
    assert program.train("-q", "-s", "11", "real", "m").code == 0
    text = (folder / "m").read_text()
    (folder / "with").write_text(text.replace("nr_class 2", "nr_class 2\nlabel 1 0"))
    for data, model, sentence in (
        ("bare", "without", "without, line 4: nr_feature is '0'"),
        ("real", "with", "with, line 3: a regression or a one-class machine has no labels"),
    ):
        assert program.predict(data, model, "out").code == 0
        mine = ours.predict(data, model, "out")
        assert mine.code == 1
        assert mine.err.startswith(sentence)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_labels_through_a_pipe(name, program, folder):
    assert program.train("-q", "two", "m").code == 0
    words = [sys.executable, "-m", "rrmlinear.predict", "two", "m", name]
    mine = subprocess.run(words, capture_output=True, text=True, timeout=60)
    theirs = program.predict("two", "m", name)
    assert mine.returncode == theirs.code == 0
    assert sorted((mine.stdout + mine.stderr).splitlines()) == sorted(theirs.out.splitlines())
    assert len(mine.stderr.splitlines()) == 1
