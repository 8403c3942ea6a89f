"""Advice on data: every command that it names trains on such data, and remarks fit the facts."""

import shlex
from dataclasses import replace

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.cli.command import run
from rrmlinear.data.text.libsvm_format import write_libsvm
from rrmlinear.pages import advice
from rrmlinear.pages.facts import Spread, facts_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
LABELS = {
    "two": np.where(X[:, 0] > 0, 1.0, -1.0),
    "rare": np.where(np.arange(40) < 1, 1.0, -1.0),
    "three": np.digitize(X[:, 0], [-0.5, 0.5]).astype(float),
    "numbers": X[:, 0] + 0.1 * X[:, 1],
    "many": np.arange(40.0),
    "even": np.arange(40.0) % 21,
    "one": np.ones(40),
}


@pytest.mark.parametrize("name", LABELS)
def test_every_command_trains(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    problem = Problem.from_arrays(X, LABELS[name])
    write_libsvm("data", problem)
    found = advice.commands(facts_of(problem))
    assert found
    for purpose, flags in found:
        assert purpose
        code = run("training", [*shlex.split(flags), "-q", "data", "model"])
        assert code == 0, (flags, capsys.readouterr().err)


def test_sequences_have_their_losses():
    facts = replace(facts_of(Problem.from_arrays(X, LABELS["two"])), sequences=4)
    assert [flags for _, flags in advice.commands(facts)] == ["--loss crf", "--loss m3n"]


def test_sequences_are_not_told_of_weights_that_their_losses_refuse():
    rare = facts_of(Problem.from_arrays(X, LABELS["rare"]))
    (weighed,), (plain,) = advice.remarks(rare), advice.remarks(replace(rare, sequences=4))
    assert "-wi" in weighed
    assert "-wi" not in plain


def test_a_rare_class_is_offered_its_f1():
    rare, even = (
        [flags for _, flags in advice.commands(facts_of(Problem.from_arrays(X, LABELS[name])))]
        for name in ("rare", "two")
    )
    assert "--loss f1" in rare
    assert "--loss f1" not in even


def test_remarks_are_made_where_they_hold():
    for name in ("two", "even"):  # of 21 classes each has less than 5 % of the examples
        plain = facts_of(Problem.from_arrays(X, LABELS[name]))
        assert list(advice.remarks(plain)) == []
    said = {
        "columns are all zero": replace(plain, unused=2),
        "rows are all zero": replace(plain, empty=3),
        "1000 times as long": replace(plain, column_norms=Spread(1.0, 2.0, 1000.0)),
        "more columns than rows": replace(plain, d=41),
        "dense array": replace(plain, is_dense=False),
        "2.50%": facts_of(Problem.from_arrays(X, LABELS["rare"])),
    }
    for words, facts in said.items():
        (sentence,) = advice.remarks(facts)
        assert words in sentence.replace("\u202f", "")
