"""`train --tree` and `predict` with a tree of labels."""

import numpy as np
import pytest

from rrmlinear import LabelTree, read_multilabel

LINES = 60


@pytest.fixture
def data(folder):
    random = np.random.default_rng(0)
    lines = []
    for label in random.integers(9, size=LINES).tolist():
        words = sorted({3 * label + 1 + j for j in random.integers(3, size=3).tolist()} | {28})
        lines.append(f"{label},{label // 3 + 20} " + " ".join(f"{word}:1" for word in words))
    (folder / "data").write_text("\n".join(lines) + "\n")
    return folder


def test_a_tree_is_trained_and_predicts(call, data):
    code, said, _ = call("training", "-s", "1", "-B", "1", "--tree", "4", "data", "model")
    assert code == 0
    assert "nodes to a gap of 0.001 of their objective" in said
    tree = LabelTree.load("model")
    assert sorted(tree.names.tolist()) == [*range(9), 20, 21, 22]
    code, said, _ = call("prediction", "--top-k", "2", "data", "model", "out")
    assert code == 0
    assert said.startswith("P@1 = ")
    lines = (data / "out").read_text().splitlines()
    assert len(lines) == LINES
    assert all(len(line.split(",")) == 2 for line in lines)
    code, _, _ = call("prediction", "--top-k", "3", "--beam", "1", "--scores", "data", "model", "o")
    assert code == 0
    first = (data / "o").read_text().splitlines()[0].split()
    scores = dict(each.rsplit(":", 1) for each in first)
    every = tree.decision_function(read_multilabel("data"))[0] - tree.limit
    for name, score in zip(tree.names.astype(str).tolist(), every.tolist(), strict=True):
        assert float(scores.get(name, score)) == pytest.approx(score, rel=1e-5)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--resume"], "--resume is not for --tree"),
        (["--thresholds", "cv"], "--thresholds is not for --tree"),
        (["-v", "3"], "-v is not for --tree"),
        (["--liblinear-model"], "--liblinear-model is not for --tree"),
        (["--trace", "t"], "--trace is not for --tree"),
        (["--cache"], "--cache is not for --tree"),
        (["--mpi"], "--mpi is not for --tree"),
    ],
)
def test_what_a_tree_does_not_take(call, data, flags, sentence):
    files = ["data"] if flags[0] == "-v" else ["data", "model"]
    code, _, said = call("training", "--tree", "4", *flags, *files)
    assert code == 1
    assert sentence in said
    assert not (data / "model").exists()


def _labels_above(data, threshold):
    """The lines of `predict`: the labels whose score is above the threshold, by all scores."""
    tree = LabelTree.load(data / "model")
    scores = tree.decision_function(read_multilabel(data / "data")) - tree.limit
    names = tree.names.astype(str)
    return "".join(",".join(names[line > threshold]) + "\n" for line in scores)


def test_predictions_of_trees_are_those_above_0_or_the_best_k(call, data):
    assert call("training", "-q", "--tree", "4", "data", "model")[0] == 0
    assert call("prediction", "-q", "data", "model", "out")[0] == 0
    default = (data / "out").read_text()
    assert default == _labels_above(data, 0.0)
    assert call("prediction", "-q", "--threshold", "0.9", "data", "model", "out")[0] == 0
    assert (data / "out").read_text() == _labels_above(data, 0.9) != default
    assert call("training", "-q", "data", "flat")[0] == 0
    code, _, said = call("prediction", "--top-k", "1", "--beam", "3", "data", "flat", "out")
    assert (code, "--beam is for trees of labels" in said) == (1, True)
