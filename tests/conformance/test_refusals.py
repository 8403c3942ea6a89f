"""Wrong commands and wrong data beside LIBLINEAR, and where we differ by choice."""

import pytest
from commands import BAD_LINES, DIFFERENT, GOOD_LINES, REFUSED, TRAINED, VALIDATED

from rrmlinear import Model


def said(ended, sentence):
    return sentence == "" or any(line.startswith(sentence) for line in ended.err.splitlines())


@pytest.mark.parametrize(("words", "sentence"), REFUSED, ids=lambda each: " ".join(each))
def test_wrong_commands(words, sentence, program, ours, folder):
    theirs, mine = program.train(*words), ours.train(*words)
    assert theirs.code == mine.code == 1
    assert said(theirs, sentence)
    assert said(mine, sentence)
    assert not list(folder.glob("*.model"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("-s", "21", "-B", "1"), "ERROR: prob->bias >=0, but this is ignored in ONECLASS_SVM"),
        (("-s", "0", "-R"), "ERROR: To not regularize bias, must specify -B 1 along with -R"),
        (
            ("-s", "1", "-R", "-B", "1"),
            "ERROR: -R option supported only for solver L2R_LR, L2R_L2LO",
        ),
    ],
)
def test_wrong_choices_of_new_options(words, sentence, newest, ours, folder):
    theirs, mine = newest.train(*words, "two"), ours.train(*words, "two")
    assert theirs.code == mine.code == 1
    assert said(theirs, sentence)
    assert said(mine, sentence)


@pytest.mark.parametrize("line", BAD_LINES)
def test_wrong_lines(line, program, ours, folder):
    (folder / "data").write_text(f"1 1:1 2:2\n{line}\n-1 1:2\n")
    theirs, mine = program.train("-q", "data", "m"), ours.train("-q", "data", "m")
    assert theirs.code == mine.code == 1
    assert theirs.err.splitlines()[0] == mine.err.splitlines()[0] == "Wrong input format at line 2"


@pytest.mark.parametrize("line", GOOD_LINES)
def test_odd_lines(line, program, ours, folder):
    (folder / "data").write_text(f"1 1:1 2:2\n{line}\n-1 1:2\n", newline="")
    words = ("-q", "-e", "0.000001", "data")
    theirs, mine = program.train(*words, "theirs"), ours.train(*words, "ours")
    assert theirs.code == mine.code == 0
    found, expected = Model.load("ours"), Model.load("theirs")
    assert found.weights == pytest.approx(expected.weights, abs=1e-3)


@pytest.mark.parametrize(("words", "code", "sentence", "other"), DIFFERENT)
def test_chosen_differences(words, code, sentence, other, program, ours, folder):
    mine = ours.train(*words)
    assert mine.code == code
    assert said(mine, sentence)
    assert other in (None, program.train(*words).code)


def test_the_table_is_long_enough():
    lists = TRAINED, VALIDATED, REFUSED, BAD_LINES, GOOD_LINES, DIFFERENT
    assert sum(len(each) for each in lists) >= 150
