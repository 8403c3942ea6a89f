"""The plan command: what a fit does over virtual workers, and what that would take."""

import re
from pathlib import Path

import numpy as np
import pytest

from rrmlinear import Problem, write_libsvm
from rrmlinear.cli.command import run

DIGITS = Path(__file__).resolve().parents[2] / "datasets" / "digits.libsvm"


def plan(capsys, *arguments):
    code = run("clusters.planning", [str(each) for each in arguments])
    return code, *capsys.readouterr()


def test_a_plan(capsys, iris):
    code, out, err = plan(capsys, iris, "--workers", 4, "--loss", "weston-watkins", "-B", 1)
    assert (code, err) == (0, "")
    assert "75 examples, 4 features" in out
    assert [workers for workers, *_ in table_of(out)] == [1, 4]
    assert all(rounds > 1 and orders >= rounds for _, rounds, _, orders in table_of(out))
    assert "suggested:" in out


def table_of(out):
    """Workers, rounds, steps and orders."""
    lines = re.findall(r"^ +(\d+) +(\d+) +(\d+) +(\d+) .*MB$", out, re.M)
    return [tuple(map(int, line)) for line in lines]


def test_a_plan_knows_newtons_method(capsys, tmp_path):
    # with many examples for a weight it comes first in a fit
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 3))
    y = np.sign(X[:, 0] + rng.standard_normal(1000))
    write_libsvm(tmp_path / "many.txt", Problem.from_arrays(X, y))
    _, out, _ = plan(capsys, tmp_path / "many.txt", "--workers", 2, "--loss", "logistic")
    assert [(rounds, steps > 0) for _, rounds, steps, _ in table_of(out)] == [(0, True)] * 2


def test_a_sample_keeps_the_mean_weight_of_the_regularizer(capsys, iris):
    code, out, err = plan(capsys, "--workers", 2, "--sample", 100, "--loss", "softmax", DIGITS)
    assert (code, err) == (0, "")
    assert "simulated on 100 of them" in out


@pytest.mark.parametrize("loss", ["hinge", "logistic", "softmax"])
def test_costs_whose_sum_overflows(capsys, iris, loss):
    code, out, err = plan(capsys, iris, "-c", 1e308, "--loss", loss)
    assert (code, out) == (1, "")
    assert err == "ERROR: the sum of -c times the weights overflows; use smaller ones\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no arguments are given"),
        (["--network", "0", "x"], "--network must be above 0"),
        (["--loss", "f1", "x"], "weston-watkins, not 'f1'"),
        (["x", "--workers"], "--workers needs a value"),
        (["x", "--workers", "0"], "--workers takes a whole number"),
        (["x", "x"], "plan takes one data_file"),
        (["-q"], "no data_file is given"),
    ],
)
def test_errors_are_sentences(capsys, iris, arguments, words):
    code, _, err = plan(capsys, *[iris if each == "x" else each for each in arguments])
    assert code == 1
    assert words in err
    assert "Traceback" not in err
