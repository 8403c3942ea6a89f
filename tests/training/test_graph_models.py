"""Model files of graphs: written and read bit for bit, and what is refused with its line."""

import numpy as np
import pytest

from rrmlinear import GraphModel, GraphProblem, Parameter, SequenceProblem, fit_graphs
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.model_files.header import ModelFileError

STAR, TRIANGLE = [(0, 1), (0, 2)], [(0, 1, 2)]


def trained(typed=False, labels=(2, 5, -1)):
    chance = np.random.default_rng(0)
    X = [
        (chance.normal(size=(3, 4)), (STAR, TRIANGLE, [], [(1,), (2, 1)])[g % 4]) for g in range(16)
    ]
    if typed:
        X = [(part, cliques, [len(clique) - 9 for clique in cliques]) for part, cliques in X]
    y = [np.array(labels)[chance.integers(0, 3, 3)] for _ in X]
    problem = GraphProblem.from_lists(X, y, bias=0.5)
    return problem, fit_graphs(problem, Parameter(solver="auto", loss="crf", C=2.0))


@pytest.mark.parametrize("typed", [False, True])
def test_a_model_reads_back_bit_for_bit(tmp_path, typed):
    problem, model = trained(typed)
    model.save(tmp_path / "model")
    again = GraphModel.load(tmp_path / "model")
    assert list(again.tables) == [kind - 9 * typed for kind in (1, 2, 3)]
    for kind, table in model.tables.items():
        np.testing.assert_array_equal(again.tables[kind], table)
    np.testing.assert_array_equal(again.weights, model.weights)
    assert again.labels.tolist() == model.labels.tolist()
    assert (again.bias, again.n_features, again.loss) == (0.5, 4, "crf")
    np.testing.assert_array_equal(
        again.predict_marginals(problem), model.predict_marginals(problem)
    )
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


@pytest.mark.parametrize("threads", [2, 5, 40])
def test_threads_label_as_one_does(threads):
    problem, model = trained(typed=True)
    np.testing.assert_array_equal(model.predict(problem, threads), model.predict(problem))
    marginals = model.predict_marginals(problem, threads)
    np.testing.assert_array_equal(marginals, model.predict_marginals(problem))
    assert set(model.predict(problem)) == {2, 5, -1}


def test_a_model_without_cliques(tmp_path):
    _, model = trained()
    problem = GraphProblem.from_lists([(np.eye(2), [])] * 2, [[1, 2]] * 2)
    alone = fit_graphs(problem, Parameter(solver="auto", loss="m3n"))
    alone.save(tmp_path / "model")
    assert GraphModel.load(tmp_path / "model").tables == {}
    assert alone.predict(problem).tolist() == [1, 2, 1, 2]
    assert model.predict([(np.zeros((1, 4)), [])]).shape == (1,)
    with pytest.raises(ValueError, match="loss m3n has no marginals: crf has them"):
        alone.predict_marginals(problem)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("tables 1:1 2:2 3:3", "tables 1:1 2:x", "found '2:x' where type:nodes is expected"),
        ("tables 1:1 2:2 3:3", "tables 1:1 2:0", "found '2:0' where type:nodes is expected"),
        ("tables 1:1 2:2 3:3", "tables 2:2 1:1 3:3", "found type 1 behind 2; types must rise"),
        ("tables 1:1 2:2 3:3", "tables 1:1 2:2 3:14", "a table of 14 nodes has more than 1000000"),
        ("tables 1:1 2:2 3:3", "tables 1:1 2:2", "found '10' where a row is expected, 1 … 9"),
        ("tables 1:1 2:2 3:3", "", "found ''"),
        ("tables 1:1 2:2 3:3", "transitions 3", "the header ends without edge_features"),
        ("lines", "edge_features 0\nlines", "a model with tables has no edge_features"),
        ("loss crf", "loss logistic", "only a model of graphs has tables"),
    ],
)
def test_files_that_are_refused(tmp_path, old, new, sentence):
    trained()[1].save(tmp_path / "model")
    text = (tmp_path / "model").read_text()
    assert old in text
    (tmp_path / "model").write_text(text.replace(old, new, 1))
    with pytest.raises(ModelFileError) as caught:
        GraphModel.load(tmp_path / "model")
    assert sentence in str(caught.value)
    assert ", line " in str(caught.value)


def test_names_are_no_numbers(tmp_path):
    _, model = trained(labels=("a", "b", "c"))
    with pytest.raises(ValueError, match="a model file has numbers as labels, not"):
        model.save(tmp_path / "model")


def test_choices_without_effect_on_graphs():
    problem, _ = trained()
    with pytest.raises(ValueError, match="unpenalized is not for graphs"):
        fit_graphs(problem, Parameter(solver="auto", loss="crf", unpenalized=[0]))
    with pytest.raises(ValueError, match="is of examples, and the problem has sequences"):
        fit_graphs(problem, Parameter(solver=2))
    with pytest.warns(NotSolvedWarning):
        fit_graphs(problem, Parameter(solver="auto", loss="crf", max_passes=1))


def test_sequences_are_no_graphs():
    problem, model = trained()
    given = SequenceProblem(problem.rows, problem.label, problem.starts, problem.labels)
    with pytest.raises(ValueError, match="X must be a list of graphs"):
        model.predict(given)
