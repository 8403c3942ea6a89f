"""The plan command: rounds of virtual workers, and what they would take."""

import re
from pathlib import Path

import pytest

from rrmlinear.cli.command import run

DIGITS = Path(__file__).resolve().parents[2] / "datasets" / "digits.libsvm"


def plan(capsys, *arguments):
    code = run("clusters.planning", [str(each) for each in arguments])
    return code, *capsys.readouterr()


def test_a_plan(capsys, iris):
    code, out, err = plan(capsys, iris, "--workers", 4, "--loss", "weston-watkins", "-B", 1)
    assert (code, err) == (0, "")
    assert "75 examples, 4 features" in out
    table = re.findall(r"^ +(\d+) +(\d+) .*MB$", out, re.M)
    assert [int(workers) for workers, _ in table] == [1, 4]
    assert all(int(rounds) > 1 for _, rounds in table)
    assert "to order:" in out


def test_a_sample_keeps_the_mean_weight_of_the_regularizer(capsys, iris):
    code, out, err = plan(capsys, "--workers", 2, "--sample", 100, "--loss", "softmax", DIGITS)
    assert (code, err) == (0, "")
    assert "simulated on 100 of them" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no arguments are given"),
        (["--network", "0", "x"], "--network must be above 0"),
        (["--loss", "f1", "x"], "f1"),
    ],
)
def test_errors_are_sentences(capsys, iris, arguments, words):
    code, _, err = plan(capsys, *[iris if each == "x" else each for each in arguments])
    assert code == 1
    assert words in err
    assert "Traceback" not in err
