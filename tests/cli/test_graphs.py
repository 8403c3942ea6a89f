"""Graphs on the command line: train, predict, cross validate, and what is refused."""

import numpy as np
import pytest

from rrmlinear import GraphCRF, GraphModel, GraphProblem, Model, read_graphs, write_libsvm
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.prediction import main as predict
from rrmlinear.cli.training import main as train

TREE = [(0, 1), (1, 2), (1, 3)]
TRIANGLES = [(0, 1, 2), (1, 2, 3)]


def write_graphs(name, problem):
    """The two files of a problem."""
    write_libsvm(name, problem.to_problem())
    with open(f"{name}.cliques", "w") as file:
        for g, cliques in enumerate(problem.cliques):
            for c, clique in enumerate(cliques):
                kind = "" if problem.types is None else f"{problem.types[g][c]} "
                file.write(f"{kind}qid:{g + 1} {' '.join(str(node + 1) for node in clique)}\n")


@pytest.fixture
def graphs(folder):
    """Labels that follow those of the neighbours: nodes alone say little."""
    chance = np.random.default_rng(0)
    X, y = [], []
    for g in range(60):
        label = chance.integers(0, 3)
        X.append((np.eye(3)[[label] * 4] + chance.normal(size=(4, 3)), (TREE, TRIANGLES)[g % 2]))
        y.append(np.array([4, -1, 8])[[label] * 4])
    problem = GraphProblem.from_lists(X, y)
    write_graphs("train", problem.take(np.arange(40)))
    write_graphs("test", problem.take(np.arange(40, 60)))
    return folder


@pytest.mark.parametrize("loss", ["crf", "m3n"])
def test_train_and_predict(graphs, loss, capsys):
    train(f"--loss {loss} -B 1 --gap-tol 1e-5 --cliques train.cliques train model".split())
    said = capsys.readouterr().out
    assert "the duality gap is within the tolerance" in said
    predict(["--cliques", "test.cliques", "test", "model", "out"])
    positions, whole = capsys.readouterr().out.splitlines()
    predicted = np.array((graphs / "out").read_text().split(), dtype=int)
    test = read_graphs("test", "test.cliques")
    right = int((predicted == test.labels[test.label]).sum())
    assert positions.endswith(f"({right}/80)")
    assert right > 64
    assert whole.endswith("/20)")
    # the nodes alone are harder
    (graphs / "none").write_text("")
    train(["-q", "--loss", loss, "-B", "1", "--cliques", "none", "train", "alone"])
    predict(["--cliques", "none", "test", "alone", "out"])
    alone = np.array((graphs / "out").read_text().split(), dtype=int)
    assert (alone == test.labels[test.label]).sum() < right - 8


def test_the_model_file_is_that_of_the_estimator(graphs):
    problem = read_graphs("train", "train.cliques")
    given = ["--gap-tol", "1e-8", "--cliques", "train.cliques"]
    train(["-q", "--loss", "crf", "-B", "1", *given, "train", "model"])
    model = GraphModel.load("model")
    assert sorted(model.tables) == [2, 3]
    X = [
        (part, cliques)
        for part, cliques in zip(
            problem.split(problem.to_problem().to_scipy().toarray()), problem.cliques, strict=True
        )
    ]
    fitted = GraphCRF(tol=1e-8).fit(X, problem.split(problem.labels[problem.label]))
    order = np.argsort(model.labels)
    np.testing.assert_allclose(model.tables[2][np.ix_(order, order)], fitted.tables_[2], atol=1e-3)
    marginals = model.predict_marginals(problem)
    np.testing.assert_allclose(
        marginals[:, order], np.concatenate(fitted.predict_marginals(X)), atol=1e-3
    )
    predict(["-q", "-b", "1", "--cliques", "train.cliques", "train", "model", "out"])
    head, *lines = (graphs / "out").read_text().splitlines()
    assert [int(name) for name in head.split()[1:]] == model.labels.tolist()
    written = np.array([line.split()[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(written, marginals, atol=1e-5)
    with pytest.raises(ValueError, match=r"with tables; GraphModel\.load reads it"):
        Model.load("model")
    with pytest.raises(ValueError, match="of graphs, with tables, which LIBLINEAR has no"):
        model.save("other", liblinear=True)


def test_types_and_cross_validation(graphs, capsys):
    lines = (graphs / "train.cliques").read_text().splitlines()
    typed = "".join(f"{len(line.split()) * 10} {line}\n" for line in lines)
    (graphs / "typed").write_text(typed)
    train(["-q", "--loss", "crf", "--cliques", "typed", "train", "model"])
    assert sorted(GraphModel.load("model").tables) == [30, 40]
    with pytest.raises(LeaveError, match="cliques of 2 nodes were in no graph of the training"):
        predict(["--cliques", "test.cliques", "test", "model", "out"])
    assert not (graphs / "out").exists()
    train(["-q", "--loss", "m3n", "-v", "4", "--cliques", "typed", "train"])
    positions, whole = capsys.readouterr().out.splitlines()
    assert float(positions.split("Accuracy = ")[1].split("%")[0]) > 70
    assert whole.endswith("/40)")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--loss crf --cliques cycle train", "graph qid:1: its cliques are not those of a decomp"),
        (
            "--loss crf --cliques wrong train",
            "wrong, line 1, column 9: qid:1 has the nodes 1 ... 4",
        ),
        ("--loss crf --cliques absent train", "can't open input file absent"),
        ("--loss crf --edges train --cliques train.cliques train", "give one of them"),
        ("-s 1 --cliques train.cliques train", "--cliques is for losses of sequences"),
        ("-s bcfw --cliques train.cliques train", "-s bcfw is for sequences, not for graphs"),
        ("-s 34 --loss m3n --cliques train.cliques train", "-s 34 is for sequences, not for"),
        ("-s marginals --cliques train.cliques train", "-s marginals is for sequences, not for"),
        ("-s newton-cg --cliques train.cliques train", "-s newton-cg is for sequences, not for"),
        ("--loss crf --observed --cliques train.cliques train", "--observed is not for graphs"),
    ],
)
def test_what_is_refused(graphs, arguments, sentence):
    (graphs / "cycle").write_text("qid:1 1 2\nqid:1 2 3\nqid:1 3 1\n")
    (graphs / "wrong").write_text("qid:1 1 5\n")
    with pytest.raises(LeaveError) as caught:
        train([*arguments.split(), "model"])
    assert sentence in str(caught.value)
    assert not (graphs / "model").exists()


def test_models_and_files_that_do_not_fit(graphs):
    train(["-q", "--loss", "crf", "--cliques", "train.cliques", "train", "model"])
    with pytest.raises(LeaveError, match="model needs --cliques"):
        predict(["test", "model", "out"])
    train(["-q", "--loss", "crf", "train", "chain"])
    with pytest.raises(LeaveError, match="chain has no tables of cliques for --cliques"):
        predict(["--cliques", "test.cliques", "test", "chain", "out"])
    with pytest.raises(ValueError, match=r"no tables of cliques; ChainModel\.load reads it"):
        GraphModel.load("chain")
    with pytest.raises(LeaveError, match="is the file of cliques and cannot be the output too"):
        predict(["--cliques", "test.cliques", "test", "model", "test.cliques"])
