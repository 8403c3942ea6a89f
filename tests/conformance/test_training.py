"""Training beside LIBLINEAR: exit codes, model files, objectives and predictions."""

import numpy as np
import pytest
from commands import TRAINED, VALIDATED
from programs import numbers_after

from rrmlinear import Model, Parameter, read_libsvm
from rrmlinear.catalog.selection import select

#: How far our objective may be above LIBLINEAR's: at the default of -e, and at a small one.
EXCESS, FINE_EXCESS = 0.01, 1e-4
#: Fraction of the labels that may differ, and of the largest value, where both are at the optimum:
#: some scores are near 0 there, and with Crammer and Singer's machine the two best are often equal.
#: LIBLINEAR's library draws random numbers from where its last run ended.
DIFFERENT = 0.08
#: Accuracies of cross validation over other folds.
NOISE = 8.0


def name_of(case):
    return " ".join([*case[1], case[0]])


def value_after(words, flag, default):
    """The value after the last such flag."""
    found = [float(words[i + 1]) for i, word in enumerate(words) if word == flag]
    return found[-1] if found else default


def head(path):
    """The lines of a model up to w, without rho, which is a number found."""
    lines = path.read_text().split("\nw\n")[0].splitlines()
    return [line for line in lines if not line.startswith("rho")]


def objective(words, model, problem):
    """LIBLINEAR's primal objective at the weights of a model, summed over its problems."""
    number, C = int(value_after(words, "-s", 1)), value_after(words, "-c", 1.0)
    given = {"epsilon": value_after(words, "-p", 0.1)} if number in (11, 12, 13) else {}
    if number == 21:
        given = {"nu": value_after(words, "-n", 0.5)}
    chosen = select(Parameter(solver=number, **given))
    scores = model.decision_function(problem).reshape(problem.n_examples, -1)
    weights = model.weights[:-1] if "-R" in words else model.weights
    penalty = np.abs(weights).sum() if number in (5, 6) else (weights**2).sum() / 2
    if number == 21:
        outside = np.maximum(0, -scores).sum()
        return penalty + outside - given["nu"] * problem.n_examples * model.rho
    if chosen.kind == "regression":
        return penalty + C * chosen.loss.values(problem.labels, scores[:, 0]).sum()
    factors = np.ones(len(model.labels))
    for i, word in enumerate(words):
        if word.startswith("-w") and float(word[2:]) in model.labels:
            factors[model.labels == float(word[2:])] *= float(words[i + 1])
    place = np.searchsorted(np.sort(model.labels), problem.labels)
    classes = np.argsort(model.labels)[place]
    if number == 4:
        return penalty + C * (factors[classes] * chosen.loss.values(scores, classes)).sum()
    total = penalty
    if scores.shape[1] == 1:
        y = np.where(classes == 0, 1.0, -1.0)
        return total + C * (factors[classes] * chosen.loss.values(y, scores[:, 0])).sum()
    for j in range(scores.shape[1]):
        y = np.where(classes == j, 1.0, -1.0)
        each = np.where(classes == j, factors[j], 1.0)
        total += C * (each * chosen.loss.values(y, np.ascontiguousarray(scores[:, j]))).sum()
    return total


@pytest.mark.parametrize("case", TRAINED, ids=name_of)
def test_models(case, liblinear, ours, folder):
    data, words = case
    if set(liblinear.lacks) & set(words):
        pytest.skip("that version has not got this")
    assert liblinear.train(*words, data, "theirs").code == 0
    mine = ours.train(*words, data, "ours")
    assert mine.code == 0
    assert mine.err == "" or "-e" in words
    assert (mine.out == "") == ("-q" in words)
    assert head(folder / "ours") == head(folder / "theirs")
    found, expected = Model.load("ours"), Model.load("theirs")
    assert found.weights.shape == expected.weights.shape
    lines = [(folder / name).read_text().splitlines() for name in ("ours", "theirs")]
    assert len(lines[0]) == len(lines[1])
    assert all(line.endswith(" ") for line in lines[0][-len(found.weights) :])
    problem, fine = read_libsvm(data).with_bias(found.bias), "-e" in words
    best, reached = objective(words, expected, problem), objective(words, found, problem)
    assert reached - best <= (FINE_EXCESS if fine else EXCESS) * abs(best)
    if abs(best - reached) > FINE_EXCESS * abs(best):
        return  # one of them stands off the optimum, as the default of -e allows
    predicted = [model.predict(problem) for model in (found, expected)]
    if found.is_regression:
        size = np.abs(problem.labels).max()
        assert np.abs(predicted[0] - predicted[1]).max() <= DIFFERENT * size
    else:
        assert (predicted[0] != predicted[1]).mean() <= DIFFERENT


@pytest.mark.parametrize("case", VALIDATED, ids=name_of)
def test_cross_validation(case, liblinear, ours, folder):
    data, words = case
    theirs, mine = liblinear.train(*words, data), ours.train(*words, data)
    assert (mine.code, theirs.code) == (0, 0)
    assert not (folder / f"{data}.model").exists()
    last = mine.out.splitlines()[-1]
    if data == "real":
        name = "Cross Validation Mean squared error"
        found, expected = numbers_after(mine.out, name), numbers_after(theirs.out, name)
        assert found == pytest.approx(expected, rel=0.25)
        assert last.startswith("Cross Validation Squared correlation coefficient = ")
    else:
        name = "Cross Validation Accuracy"
        assert last.startswith(f"{name} = ")
        assert last.endswith("%")
        assert abs(numbers_after(mine.out, name) - numbers_after(theirs.out, name)) <= NOISE


@pytest.mark.parametrize("number", ["0", "2"])
def test_search_for_C(number, program, ours, folder):
    theirs, mine = program.train("-s", number, "-C", "two"), ours.train("-s", number, "-C", "two")
    lines = [
        [line for line in ended.out.splitlines() if line.startswith(("Doing", "log2c", "Best"))]
        for ended in (mine, theirs)
    ]
    assert lines[0][0] == lines[1][0] == "Doing parameter search with 5-fold cross validation."
    assert lines[0][1].split("\t")[0] == lines[1][1].split("\t")[0]
    assert lines[0][-1].startswith("Best C = ")
    rates = [float(each[-1].split("= ")[2].rstrip("%")) for each in lines]
    assert abs(rates[0] - rates[1]) <= NOISE


def test_the_default_model_file(liblinear, ours, folder):
    assert ours.train("two").code == liblinear.train("two").code == 0
    assert (folder / "two.model").exists()


def test_labels_of_weights_that_do_not_occur(program, ours, folder):
    theirs, mine = program.train("-w7", "2", "two", "m"), ours.train("-w7", "2", "two", "m")
    assert mine.code == theirs.code == 0
    assert theirs.err.splitlines()[0] in mine.err.splitlines()


def test_more_folds_than_examples(program, ours, folder):
    theirs, mine = program.train("-v", "1000", "two"), ours.train("-v", "1000", "two")
    assert mine.code == theirs.code == 0
    assert theirs.err.splitlines()[0] in mine.err
