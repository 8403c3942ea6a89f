"""Sequences on the command line: train, predict, cross validate, and what is refused."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import write_libsvm
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.prediction import main as predict
from rrmlinear.cli.training import main as train
from rrmlinear.data.sequences import SequenceProblem


@pytest.fixture
def files(folder):
    chance = np.random.default_rng(0)
    W = chance.normal(size=(5, 3))
    X = [chance.normal(size=(n, 5)) for n in chance.integers(1, 6, 60)]
    y = [[(1, 7, -2)[j] for j in (part @ W).argmax(axis=1)] for part in X]
    problem = SequenceProblem.from_lists(X, y)
    write_libsvm("train", problem.take(np.arange(40)).to_problem())
    write_libsvm("test", problem.take(np.arange(40, 60)).to_problem())
    return folder


@pytest.mark.parametrize("loss", ["crf", "m3n"])
def test_train_and_predict(files, loss, capsys):
    train(["--loss", loss, "-c", "10", "train", "model"])
    said = capsys.readouterr().out
    assert "the duality gap is within the tolerance" in said
    assert "primal = " in said
    predict(["test", "model", "out"])
    positions, sequences = capsys.readouterr().out.splitlines()
    assert positions.startswith("Accuracy = ")
    assert sequences.startswith("Whole sequences = ")
    assert sequences.endswith("/20)")
    lines = (files / "test").read_text().splitlines()
    labels = [line.split()[0] for line in lines]
    predicted = (files / "out").read_text().split()
    right = sum(a == b for a, b in zip(labels, predicted, strict=True))
    assert positions.endswith(f"({right}/{len(labels)})")
    assert right > 0.8 * len(labels)


def test_marginals(files, capsys):
    train(["-q", "--loss", "crf", "train", "model"])
    predict(["-q", "-b", "1", "test", "model", "out"])
    head, *lines = (files / "out").read_text().splitlines()
    assert sorted(head.split()[1:]) == ["-2", "1", "7"]
    rows = np.array([line.split()[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-4)
    train(["-q", "--loss", "m3n", "train", "model"])
    with pytest.raises(LeaveError, match="only supported for sequences of loss crf"):
        predict(["-b", "1", "test", "model", "out"])


@pytest.fixture
def edged(files):
    """Labels that follow from the one before and a feature of the edge."""
    chance = np.random.default_rng(1)
    X, y = [], []
    for n in chance.integers(2, 9, 60):
        z = chance.integers(0, 3, n - 1)
        first = chance.integers(0, 3)
        y.append(np.concatenate(([first], (first + np.cumsum(z)) % 3)) + 1)
        X.append((csr_array(np.eye(4)[[first, *[3] * (n - 1)]]), csr_array(np.eye(3)[z])))
    problem = SequenceProblem.from_lists(X, y)
    for name, some in (("chain", np.arange(40)), ("chain.t", np.arange(40, 60))):
        part = problem.take(some)
        write_libsvm(name, part.to_problem())
        write_libsvm(f"{name}.edges", part.edges_to_problem())
    return files


def accuracy_of(said):
    return float(said.split("Accuracy = ")[1].split("%")[0])


@pytest.mark.parametrize("loss", ["crf", "m3n"])
def test_features_of_edges(edged, loss, capsys):
    train(["-q", "--loss", loss, "-c", "10", "--edges", "chain.edges", "chain", "model"])
    capsys.readouterr()
    predict(["--edges", "chain.t.edges", "chain.t", "model", "out"])
    assert capsys.readouterr().out.splitlines()[-1] == "Whole sequences = 100% (20/20)"
    train(["-q", "--loss", loss, "-v", "3", "-c", "10", "--edges", "chain.edges", "chain"])
    with_edges = accuracy_of(capsys.readouterr().out)
    train(["-q", "--loss", loss, "-v", "3", "-c", "10", "chain"])
    assert with_edges > 90 > 70 > accuracy_of(capsys.readouterr().out)


def test_files_of_edges_that_are_refused(edged):
    common = ["-q", "--loss", "crf", "--edges"]
    first, *others = (edged / "chain.edges").read_text().splitlines(keepends=True)
    for text, sentence in [
        ("".join(others), "the features of edges have"),
        ("".join([f"{first.strip()} 1:1\n", *others]), "position 1 is the first of a sequence"),
        ("".join([f"9{first[1:]}", *others]), "position 1 has another label in the features"),
        ("".join([first, *(line.replace("qid:1 ", "qid:99 ") for line in others)]), "another seq"),
        (
            "".join(
                line.split(" ")[0] + f" qid:{line.split(':')[1].split()[0]}\n"
                for line in [first, *others]
            ),
            "wrong has no features",
        ),
    ]:
        (edged / "wrong").write_text(text)
        with pytest.raises(LeaveError, match=sentence):
            train([*common, "wrong", "chain", "model"])
    assert not (edged / "model").exists()
    with pytest.raises(LeaveError, match="--edges is for losses of sequences"):
        train(["-s", "1", "--edges", "chain.edges", "chain", "model"])
    train([*common, "chain.edges", "chain", "model"])
    with pytest.raises(LeaveError, match="model needs --edges"):
        predict(["chain.t", "model", "out"])
    train(["-q", "--loss", "crf", "chain", "plain"])
    with pytest.raises(LeaveError, match="plain has no features of edges for --edges"):
        predict(["--edges", "chain.t.edges", "chain.t", "plain", "out"])


def test_cross_validation(files, capsys):
    train(["-q", "--loss", "crf", "-v", "4", "-c", "10", "train"])
    positions, sequences = capsys.readouterr().out.splitlines()
    assert positions.startswith("Cross Validation Accuracy = ")
    assert sequences.startswith("Whole sequences = ")
    assert not (files / "train.model").exists()
    train(["-q", "--loss", "crf", "-v", "400", "train"])
    assert "# folds > # data" in capsys.readouterr().err


def test_labels_that_training_had_not(files, capsys):
    train(["-q", "--loss", "crf", "train", "model"])
    (files / "new").write_text("99 qid:1 1:1\n1 qid:1 2:1\n")
    predict(["new", "model", "out"])
    predicted = (files / "out").read_text().split()
    assert set(predicted) <= {"1", "7", "-2"}
    assert f"({int(predicted[1] == '1')}/2)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("-s 1 train", "train, line 1, column 1: this example has a qid:"),
        ("--loss crf plain", "plain, line 1, column 1: this example has no qid:"),
        ("--loss crf again", "again, line 3, column 1: qid:1 comes back after another"),
        ("--loss crf -C train", "-C is not for losses of sequences"),
        ("--loss m3n --liblinear-model train", "LIBLINEAR's form has no place for transitions"),
        ("--loss crf -s 1 train", "--loss has no effect with -s 1"),
        ("--loss crf -w1 2 train", "-wi has no effect with loss crf"),
        ("--loss crf -s 30 train", "--loss has no effect with -s 30"),
        ("--loss crf one", "all 2 positions have label 1"),
    ],
)
def test_what_is_refused(files, arguments, sentence):
    (files / "plain").write_text("1 1:1\n2 2:1\n")
    (files / "again").write_text("1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n")
    (files / "one").write_text("1 qid:1 1:1\n1 qid:2 1:1\n")
    with pytest.raises(LeaveError) as caught:
        train([*arguments.split(), "model"])
    assert sentence in str(caught.value)
    assert not (files / "model").exists()


def test_examples_are_no_test_set(files):
    train(["-q", "--loss", "crf", "train", "model"])
    (files / "plain").write_text("1 1:1\n2 2:1\n")
    with pytest.raises(LeaveError, match="this example has no qid:"):
        predict(["plain", "model", "out"])
    train(["-q", "plain", "other"])
    with pytest.raises(LeaveError, match="a qid:, which only losses of sequences, ranks and"):
        predict(["test", "other", "out"])
