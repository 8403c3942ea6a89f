"""Models of sequences: predictions, files and cross validation."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Model, Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.core.records import replace
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.training.chain_model import ChainModel
from rrmlinear.training.chains import cross_validate_sequences, fit_sequences
from rrmlinear.training.model_files.header import ModelFileError
from tests.risks.layouts.chains.chains_by_force import ByForce
from tests.training.chain_cases import LENGTHS, D, made


def by_force(model, part):
    """Marginals, and scores and labellings from the best on, of one sequence."""
    nodes = part @ model.weights[:D]
    if model.bias >= 0:
        nodes = nodes + model.bias * model.weights[D]
    labellings = ByForce(nodes, model.transitions)
    order = np.argsort(-labellings.scores)
    return labellings.marginals()[0], labellings.scores[order], labellings.labels[order]


@pytest.mark.parametrize("bias", [-1.0, 1.0])
@pytest.mark.parametrize("threads", [1, 3])
def test_predictions_against_all_labellings(bias, threads):
    _, _, problem = made(bias=bias)
    model = fit_sequences(problem, Parameter(loss="crf", C=3.0))
    X, _, test = made(7, [1, 5, 2, 6, 1])
    forced = [by_force(model, part) for part in X]
    best = np.concatenate([model.labels[each[2][0]] for each in forced])
    for given in (X, [csr_array(part) for part in X], test):
        assert (model.predict(given, threads) == best).all()
    marginals = model.predict_marginals(X, threads)
    np.testing.assert_allclose(marginals, np.concatenate([each[0] for each in forced]), atol=1e-12)
    for (scores, labellings), (_, all_scores, places) in zip(
        model.predict_best(X, 4), forced, strict=True
    ):
        assert len(scores) == min(4, len(all_scores))
        np.testing.assert_allclose(scores, all_scores[: len(scores)], atol=1e-12)
        assert (labellings == model.labels[places[: len(scores)]]).all()
    with pytest.raises(ValueError, match="most must be at least 1"):
        model.predict_best(X, 0)


def test_features_beyond_and_missing():
    X, _, problem = made()
    model = fit_sequences(problem, Parameter(loss="m3n"))
    wider = [np.column_stack([part, np.ones(len(part))]) for part in X]
    assert (model.predict(wider) == model.predict(X)).all()
    narrower = [np.column_stack([part[:, :2], np.zeros((len(part), 2))]) for part in X]
    assert (model.predict([part[:, :2] for part in X]) == model.predict(narrower)).all()
    with pytest.raises(ValueError, match="loss m3n has no marginals: crf has them"):
        model.predict_marginals(X)


def test_columns_are_taken_by_their_names(tmp_path):
    X, y, plain = made(bias=1.0)
    model = fit_sequences(replace(plain, feature_names=("a", "b", "ü", "d")), Parameter(loss="crf"))
    model.save(tmp_path / "m")
    again = ChainModel.load(tmp_path / "m")
    assert again.feature_names == ("a", "b", "ü", "d")
    turned = SequenceProblem.from_lists([part[:, [3, 1, 0, 2]] for part in X], y)
    for names, other in ((("d", "b", "a", "ü"), turned), (None, plain)):
        assert (again.predict(replace(other, feature_names=names)) == model.predict(plain)).all()
    with pytest.raises(ValueError, match="X lacks 1 of the model's 4 features, the first is 'ü'"):
        again.predict(replace(turned, feature_names=("d", "b", "a", "u")))


@pytest.mark.parametrize("loss", ["crf", "m3n"])
def test_features_of_edges(loss, tmp_path):
    chance = np.random.default_rng(4)
    X, y, plain = made()
    edges = [chance.normal(size=(n - 1, 2)) for n in LENGTHS]
    pairs = list(zip(X, edges, strict=True))
    problem = SequenceProblem.from_lists(pairs, y, labels=(2, 5, 9))
    again = plain.with_edges(
        SequenceProblem.from_lists(
            [csr_array(np.vstack([np.zeros((1, 2)), each])) for each in edges], y, labels=(2, 5, 9)
        )
    )
    asked = Parameter(loss=loss, gap_tol=1e-7)
    models = [fit_sequences(each, asked) for each in (problem, again)]
    assert models[0].edge_weights.shape == (2, 3, 3)
    np.testing.assert_allclose(models[0].edge_weights, models[1].edge_weights, atol=1e-3)
    assert models[0].result.primal < fit_sequences(plain, asked).result.primal
    path = tmp_path / "model"
    models[0].save(path)
    back = ChainModel.load(path)
    np.testing.assert_array_equal(back.edge_weights, models[0].edge_weights)
    np.testing.assert_array_equal(back.predict(pairs), models[0].predict(problem))
    with pytest.raises(ModelFileError, match=r"with transitions; ChainModel\.load reads it"):
        Model.load(path)


def test_model_files_that_are_refused(tmp_path):
    _, _, problem = made()
    model = fit_sequences(problem, Parameter(loss="crf"))
    path = tmp_path / "model"
    with pytest.raises(ValueError, match="transitions, which LIBLINEAR has no place for"):
        model.save(path, liblinear=True)
    model.save(path)
    text = path.read_text()
    for wrong, sentence in [
        (text.replace("transitions 3\n", ""), "the header ends without transitions"),
        (text.replace("transitions 3", "transitions 2"), "transitions must be nr_class, 3"),
        (text.replace("loss crf", "loss softmax"), "only a model of sequences has transitions"),
        ("".join(text.splitlines(keepends=True)[:-1]), "there are 6 lines of weights, not 7"),
        (text.replace("lines 7\n", ""), "the header ends without lines"),
        (text.replace("lines 7", "lines 70000"), "70000 lines must follow"),
        (text.replace("edge_features 0", "edge_features -1"), "edge_features is '-1'"),
        (text.replace("\n2 :", "\n1 :"), "line 12: row '1' stands in an earlier place too"),
        (text.replace("\n2 :", "\n8 :"), "line 12: found '8' where a row is expected, 1 … 7"),
        (text.replace("\n2 :", "\n2 : x"), "line 12: found 'x[^']*' where column:weight"),
        (
            text.replace("\n2 : 1:", "\n2 : 1:1 1:"),
            "where column:weight is expected, columns rising",
        ),
        (
            text.replace("\n2 : 1:", "\n2 : 1:x"),
            "line 12: found 'x[^']*' where a weight is expected",
        ),
        (text.replace("\n2 : 1:", "\n2 : 1:1e999 2:"), "a weight is '1e999'; it must be finite"),
        (text.replace("nr_feature 4", f"nr_feature {2**47}"), "do not fit in memory"),
    ]:
        path.write_text(wrong)
        with pytest.raises(ModelFileError, match=sentence):
            ChainModel.load(path)
    X, _, _ = made()
    y = [["a" if t % 2 else "b" for t in range(len(part))] for part in X]
    names = SequenceProblem.from_lists(X, y)
    with pytest.raises(ValueError, match="numbers as labels"):
        fit_sequences(names, Parameter(loss="crf")).save(path)


def test_cross_validation_is_by_sequences():
    X, y, problem = made(5, [2, 3, 1, 4] * 10)
    chosen = select(Parameter(loss="crf", C=10.0))
    predicted = cross_validate_sequences(problem, chosen, 4)
    assert (predicted == np.concatenate(y)).mean() > 0.7
    # with as many folds as sequences, each is predicted by a model of all others
    _, _, few = made(5, [2, 3, 1, 4])
    predicted = few.split(cross_validate_sequences(few, chosen, 4))
    for s in range(4):
        rest = np.delete(np.arange(4), s)
        model = fit_sequences(few.take(rest), chosen.choices)
        assert (model.predict([X[s]]) == predicted[s]).all()
    with pytest.raises(ValueError, match="5 folds of 4"):
        cross_validate_sequences(few, chosen, 5)
