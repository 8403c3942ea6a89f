"""Prediction beside LIBLINEAR, with its models and with ours."""

import numpy as np
import pytest

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
    data = "real" if LOSSES[loss].kind == "regression" else "three"
    assert ours.train("-q", "--liblinear-model", "--loss", loss, data, "m").code == 0
    assert ours.train("-q", "--loss", loss, data, "own").code == 0
    assert liblinear.predict(data, "m", "b").code == 0
    assert ours.predict(data, "own", "a").code == 0
    np.testing.assert_allclose(numbers_of("a"), numbers_of("b"), rtol=1e-9, atol=1e-12)


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
