"""train and predict on examples with any number of labels."""

import json
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import LabelModel, MultilabelProblem, Parameter, Problem, fit_labels, write_libsvm
from rrmlinear.cli.labels import label_training
from rrmlinear.data.array_rows import csr_of
from rrmlinear.data.text.multilabel.multilabel_text import write_multilabel


@pytest.fixture(scope="module")
def problem():
    chance = np.random.default_rng(0)
    X = sp.random_array((150, 30), density=0.3, rng=chance, format="csr")
    Y = X @ chance.normal(size=(30, 12)) > 0.7
    names = [3 * j + 1 for j in range(12)]
    return MultilabelProblem.from_arrays(X, Y, names=names)


@pytest.fixture
def file(problem, tmp_path):
    write_multilabel(tmp_path / "data", problem)
    return tmp_path / "data"


def test_a_model_is_trained_saved_and_predicts(train, predict, file, problem, tmp_path):
    told = train.done("-s", "1", "-B", "1", "--gap-tol", "1e-4", file, tmp_path / "m")
    assert "solved, 12 of 12 labels to a gap of 0.0001 of their objective" in told.out
    model = LabelModel.load(tmp_path / "m")
    ours = fit_labels(problem.with_bias(1.0), Parameter(gap_tol=1e-4))
    assert (model.weights != ours.weights).nnz == 0
    assert model.names.tolist() == [3 * j + 1 for j in range(12)]
    told = predict(file, tmp_path / "m", tmp_path / "out")
    lines = (tmp_path / "out").read_text().splitlines()
    assert [[int(label) for label in line.split(",") if label] for line in lines] == (
        ours.predict_labels(problem)
    )
    found, true = ours.predict(problem), problem.labels.matrix()
    right = found.multiply(true).sum()
    micro = 200 * right / (found.sum() + true.sum())
    assert f"Micro-F1 = {micro:g}%" in told.out
    assert "P@1 = " in told.out


def test_arrays_with_a_matrix_of_labels(train, predict, problem, tmp_path):
    rows, labels = csr_of(problem.rows), problem.labels.matrix()
    x, y, model = tmp_path / "x.npz", tmp_path / "y.npz", tmp_path / "m"
    sp.save_npz(x, rows)
    sp.save_npz(y, labels)
    assert train("--labels", y, x, model).code == 0
    ours = fit_labels(problem, Parameter())
    assert (LabelModel.load(model).weights != ours.weights).nnz == 0
    assert "Micro-F1" in predict("--labels", y, x, model, tmp_path / "o").out
    assert predict(x, model, tmp_path / "o").out == ""
    named = (tmp_path / "o").read_text().split("\n")[0]
    assert [3 * int(label) + 1 for label in named.split(",")] == ours.predict_labels(problem)[0]
    np.save(tmp_path / "y.npy", labels[:5].toarray())
    assert "y.npy has 5 rows, and" in train("--labels", tmp_path / "y.npy", x, model).err
    assert train("--labels", "absent", x, model).err.startswith("can't open input file absent\n")


@pytest.mark.parametrize("tree", [(), ("--tree", "2")])
def test_columns_of_tables_are_taken_by_name(tree, train, predict, tmp_path):
    rng = np.random.default_rng(3)
    X, names = rng.normal(size=(40, 4)), ["a", "b", "c", "d"]
    np.save(tmp_path / "y.npy", X[:, :3] > 0)
    for name, columns in (("x", [0, 1, 2, 3]), ("other", [2, 0, 3, 1]), ("less", [0, 1, 2])):
        rows = [",".join([names[j] for j in columns])]
        rows += [",".join(map(str, row)) for row in X[:, columns].tolist()]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    labels, model, out = ("--labels", tmp_path / "y.npy"), tmp_path / "m", tmp_path / "out"
    assert train("-q", *labels, *tree, tmp_path / "x.csv", model).code == 0
    told = [predict(*labels, tmp_path / f"{name}.csv", model, out) for name in ("x", "other")]
    assert [each.out for each in told] == 2 * [told[0].out]
    assert told[1].err == ""
    assert "features, the first is 'd'" in predict(*labels, tmp_path / "less.csv", model, out).err
    if not tree:
        known = LabelModel.load(model)
        assert [*known.to_dataframe().index[:4]] == names
        permuted = MultilabelProblem.from_arrays(X[:, [2, 0, 3, 1]], X[:, :3] > 0)
        named = replace(permuted, feature_names=("c", "a", "d", "b"))
        assert np.array_equal(known.decision_function(named), known.decision_function(X))
        assert np.array_equal(known.decision_function(named.take(np.arange(5))),
                              known.decision_function(X[:5]))  # fmt: skip
        appended = train("-q", *labels, "--append", model, tmp_path / "other.csv", out)
        assert "other names of features" in appended.err


def test_top_k_and_scores(train, predict, file, problem, tmp_path):
    train("-B", "1", file, tmp_path / "m")
    model = LabelModel.load(tmp_path / "m")
    told = predict("--top-k", "3", "--scores", file, tmp_path / "m", tmp_path / "out")
    places, scores = model.predict_top_k(problem, 3)
    lines = (tmp_path / "out").read_text().splitlines()
    assert lines[0] == " ".join(
        f"{model.names[j]}:{s:.9g}" for j, s in zip(places[0], scores[0], strict=True)
    )
    hits = problem.labels.matrix().toarray()[np.arange(150)[:, None], places]
    assert f"P@3 = {100 * hits.mean():g}%" in told.out
    predict("--threshold", "0.5", file, tmp_path / "m", tmp_path / "out")
    above = model.decision_function(problem) > 0.5
    lines = (tmp_path / "out").read_text().splitlines()
    assert lines == [",".join(str(n) for n in model.names[row]) for row in above]


def test_labels_are_words_and_unknown_ones_count_as_missed(train, predict, tmp_path):
    (tmp_path / "a").write_text("sun,sea 1:1\nsea 2:1\nsun 1:2\n 3:1\n")
    (tmp_path / "t").write_text("sun,moon 1:1\nmoon 2:1\n")
    assert train("-c", "10", "-B", "1", tmp_path / "a", tmp_path / "m").code == 0
    told = predict(tmp_path / "t", tmp_path / "m", tmp_path / "o")
    assert (tmp_path / "o").read_text() == "sea,sun\nsea\n"
    # sea is wrong twice, sun right once, moon missed twice
    assert f"Micro-F1 = {100 * 2 / (3 + 3):g}%" in told.out


@pytest.mark.parametrize("how", ["cv", "cost"])
def test_thresholds_and_pruning(train, predict, file, tmp_path, how):
    asked = ("--prune", "0.05", "--thresholds", how, "--positive-weight", "2")
    assert train("-B", "1", *asked, file, tmp_path / "m").code == 0
    model = LabelModel.load(tmp_path / "m")
    assert np.abs(model.weights.data).min() >= 0.05
    assert (model.thresholds is not None) == (how == "cv")


def test_labels_are_appended(train, predict, file, problem, tmp_path):
    few = MultilabelProblem(problem.rows, problem.labels.some(np.arange(5)))
    write_multilabel(tmp_path / "few", few)
    train("-B", "1", tmp_path / "few", tmp_path / "m")
    assert train("-B", "1", "--append", tmp_path / "m", file, tmp_path / "n").code == 0
    first, whole = LabelModel.load(tmp_path / "m"), LabelModel.load(tmp_path / "n")
    assert whole.names.tolist() == problem.labels.names.tolist()
    assert (whole.weights[:, :5] != first.weights).nnz == 0


def test_a_killed_command_goes_on(train, predict, file, tmp_path):
    train.done("-B", "1", file, tmp_path / "whole")
    assert train("-B", "1", "--resume", file, tmp_path / "m").code == 0
    assert not (tmp_path / "m.journal").exists()
    assert (tmp_path / "m").stat().st_size == (tmp_path / "whole").stat().st_size
    (tmp_path / "m.journal").write_text(json.dumps({"format": "of another run"}) + "\n")
    error = train.error("-B", "1", "--resume", file, tmp_path / "m")
    assert "is the journal of another run" in error


@pytest.mark.parametrize("asked", [(), ("-v", "2"), ("--tree", "2"), ("--resume",)])
def test_an_interrupted_command_tells_what_is_kept(train, file, tmp_path, monkeypatch, asked):
    for name in ("trained", "over_folds", "tree"):
        monkeypatch.setattr(label_training._Run, name, Mock(side_effect=KeyboardInterrupt))
    ended, resumes = train(*asked, file, tmp_path / "m"), asked == ("--resume",)
    assert ended.code == 130
    assert ended.err.endswith("saved: --resume keeps labels that have ended\n") == (not asked)
    assert ended.err.endswith("m.journal keeps: the same command goes on from there\n") == resumes
    assert ("; nothing was saved" in ended.err) != resumes


def test_a_header_counts_labels_and_begins_at_0(train, predict, tmp_path):
    (tmp_path / "x").write_text("3 2 3\n0 0:1\n0,2 1:1\n 0:1 1:1\n")
    told = train("-B", "1", tmp_path / "x", tmp_path / "m")
    assert "note: 1 labels are of no row or of all rows: their score is -1 or 1" in told.out
    model = LabelModel.load(tmp_path / "m")
    assert model.names.tolist() == [0, 1, 2]
    assert model.intercepts[1] == -1  # of no row


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("-s", "4"), "loss crammer-singer is none of two classes"),
        (("-s", "11"), "loss squared-epsilon-insensitive is none of two classes"),
        (("-v", "3", "--resume"), "--resume has no effect with -v and -C, which save no model"),
        (("-C", "--thresholds", "cv"), "--thresholds has no effect with -v and -C"),
        (("-e", "0.1"), "-e is not for examples with several labels"),
        (("-w1", "2"), "-wi is not for examples with several labels"),
        (("--prune", "-1"), "--prune is -1; it must be a finite number of at least 0"),
        (("--thresholds", "best"), "--thresholds"),
        (("--prune", "0.1", "--regularizer", "l1", "--loss", "squared-hinge"), "prune is 0.1"),
        (("--append", "missing"), "can't open model file missing"),
    ],
)
def test_what_is_not_for_many_labels(train, predict, file, tmp_path, asked, said):
    assert said in train.error(*asked, file, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_options_of_labels_need_labels_and_such_a_model(train, predict, file, tmp_path):
    (tmp_path / "one").write_text("1 1:1\n2 2:1\n")
    train(tmp_path / "one", tmp_path / "m")
    train(file, tmp_path / "n")
    for asked, said in (
        (("--top-k", "2", tmp_path / "one", tmp_path / "m"), "--top-k is for models of many"),
        (("--top-k", "13", file, tmp_path / "n"), "--top-k is 13, and the model has 12 labels"),
        (("--top-k", "2", "--threshold", "0", file, tmp_path / "n"), "give one of them"),
        (("-b", "1", file, tmp_path / "n"), "-b 1 is not for models of many labels"),
    ):
        assert said in predict.error(*asked, tmp_path / "o")


def test_a_damaged_model_is_named(train, predict, file, tmp_path):
    train(file, tmp_path / "m")
    whole = bytearray((tmp_path / "m").read_bytes())
    whole[-1] ^= 1
    (tmp_path / "m").write_bytes(whole)
    assert "is damaged" in predict.error(file, tmp_path / "m", tmp_path / "o")
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    "asked", [["--weights", "w"], ["--labels", "y"], ["--names", "n"], ["--transpose"]]
)
def test_facts_take_no_option_of_other_files(info, file, asked):
    assert f"{asked[0]} has no effect: {file} has several labels a line" in info.error(*asked, file)


def test_a_container_is_trained_on_and_predicted(train, predict, convert, info, file, tmp_path):
    assert convert(file, tmp_path / "data.rrm").code == 0
    for name in ("data", "data.rrm"):
        told = train("-s", "1", "-B", "1", tmp_path / name, tmp_path / f"{name}.model")
        assert "solved, 12 of 12 labels" in told.out
        predict.done(tmp_path / name, tmp_path / f"{name}.model", tmp_path / f"{name}.out")
    models = [LabelModel.load(tmp_path / f"{name}.model") for name in ("data", "data.rrm")]
    assert (models[0].weights != models[1].weights).nnz == 0
    assert (tmp_path / "data.out").read_text() == (tmp_path / "data.rrm.out").read_text()
    told = train("--memory", "1k", tmp_path / "data.rrm", tmp_path / "m")
    assert "--memory is 0.001 MB, and duals, weights and blocks" in told.err


def test_labels_are_dealt_to_processes(train, convert, file, tmp_path):
    pytest.importorskip("distributed", reason="training over workers needs dask.distributed")
    convert(file, tmp_path / "data.rrm")
    asked = ("-B", "1", "--thresholds", "cv")
    assert train(*asked, file, tmp_path / "m").code == 0
    told = train.done(*asked, "--dask", "local:2", tmp_path / "data.rrm", tmp_path / "n")
    one, over = (LabelModel.load(tmp_path / name) for name in "mn")
    assert "solved, 12 of 12 labels" in told.out
    assert (one.weights != over.weights).nnz == 0
    assert (one.thresholds == over.thresholds).all()


def test_cross_validation_tells_measures_of_examples_held_out(train, file, problem):
    told = train.done("-v", "3", "-B", "1", "-c", "4", "--prune", "0.01", file)
    lines = dict(line.rsplit(" = ", 1) for line in told.out.splitlines())
    names = ["P@1", "P@3", "P@5", "Micro-F1", "Macro-F1"]
    assert list(lines) == [f"Cross Validation {name}" for name in names]
    order = np.random.Generator(np.random.PCG64(0)).permutation(150)
    hits, whole = 0, problem.with_bias(1.0)
    for part in (order[:50], order[50:100], order[100:]):
        model = fit_labels(whole.take(np.setdiff1d(order, part)), Parameter(C=4.0), prune=0.01)
        best = model.predict_top_k(whole.take(part), 1)[0][:, 0]
        hits += problem.labels.matrix().toarray()[part, best].sum()
    assert lines["Cross Validation P@1"] == f"{100 * hits / 150:g}%"


def test_c_is_searched_by_precision(train, file):
    told = train.done("-C", "-s", "1", "-B", "1", "-v", "3", file)
    lines = told.out.splitlines()
    trials = [line.split("\t") for line in lines if line.startswith("log2c")]
    assert len(trials) > 5
    rates = [float(trial[1].removeprefix("P@1=")) for trial in trials]
    costs = [2 ** float(trial[0].removeprefix("log2c=")) for trial in trials]
    best = int(np.argmax(rates))
    assert lines[-1] == f"Best C = {costs[best]:g}  CV P@1 = {rates[best]:g}%"
    at = train("-v", "3", "-s", "1", "-B", "1", "-c", repr(costs[best]), file)
    assert abs(float(at.out.splitlines()[0].split(" = ")[1][:-1]) - rates[best]) < 2


def test_a_trace_has_a_line_for_each_label(train, file, problem, tmp_path):
    assert train("-B", "1", "--trace", tmp_path / "t", file, tmp_path / "m").code == 0
    rows = [json.loads(line) for line in (tmp_path / "t").read_text().splitlines()]
    result = LabelModel.load(tmp_path / "m").result
    assert sorted(row["label"] for row in rows) == problem.labels.names.tolist()
    for row in rows:
        j = problem.labels.names.tolist().index(row["label"])
        assert row["primal"] == result.primal[j]
        assert row["passes"] == result.passes[j]
        assert row["solved"]


def test_text_has_a_cache(train, file, tmp_path):
    for _ in range(2):
        train.done("-B", "1", "--cache", file, tmp_path / "m")
    assert (tmp_path / "data.cache.rrm").exists()
    train("-B", "1", file, tmp_path / "n")
    one, two = (LabelModel.load(tmp_path / name) for name in "mn")
    assert (one.weights != two.weights).nnz == 0


@pytest.mark.parametrize("asked", [("-c", "2"), ("-v", "3"), ("-C", "-v", "2", "-c", "64")])
def test_a_page_tells_measures_and_gaps(train, file, tmp_path, asked):
    pytest.importorskip("plotly", reason="pages need plotly")
    more = ["--report-test", file] if asked[0] == "-c" else []
    train.done("-s", "1", "-B", "1", *asked, "--report", tmp_path / "page.html", *more, file, "m")
    page = (tmp_path / "page.html").read_text()
    assert "P@1" in page
    assert "Micro-F1" in page
    assert "python -m rrmlinear train" in page
    if asked[0] == "-c":
        result = LabelModel.load("m").result
        relative = result.gap / result.primal
        assert f"{relative.max():.3e}" in page
        assert "Labels with the largest relative gaps" in page
        assert "Test examples" in page
        assert page.count("Labels with most rows") == 2


def test_liblinear_text_holds_the_weights(train, predict, file, problem, tmp_path):
    train("-s", "1", "-B", "1", file, tmp_path / "m")
    train.done("-s", "1", "-B", "1", "--liblinear-model", file, tmp_path / "t")
    head = (tmp_path / "t").read_text().split("\nw\n")[0].splitlines()
    assert head[0] == "solver_type L2R_L2LOSS_SVC_DUAL"
    assert head[1] == "nr_class 12"
    binary, text = (LabelModel.load(tmp_path / name) for name in "mt")
    assert (text.weights != binary.weights).nnz == 0
    np.testing.assert_array_equal(text.intercepts, binary.intercepts)
    for name in "mt":
        predict("--top-k", "3", file, tmp_path / name, tmp_path / f"{name}.out")
    assert (tmp_path / "m.out").read_text() == (tmp_path / "t.out").read_text()
    write_libsvm(tmp_path / "rows", Problem(problem.rows, np.ones(150)))
    assert predict(tmp_path / "rows", tmp_path / "t", tmp_path / "one").code == 0
    first = [line.split(",")[0] for line in (tmp_path / "m.out").read_text().splitlines()]
    assert (tmp_path / "one").read_text().split() == first
    (tmp_path / "words").write_text("sun,sea 1:1\nsea,sky 2:1\nsun 1:2\n 3:1\n")
    told = train("--liblinear-model", tmp_path / "words", tmp_path / "w")
    assert "has whole numbers of 32 bits as labels" in told.err
    told = train("-B", "1", "--thresholds", "cv", "--liblinear-model", file, tmp_path / "w")
    assert "has no place for thresholds of labels" in told.err
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2 1:1\n3,NaN 2:1\n", "line 2, column 3: the label 'NaN' stands for a missing value"),
        ("2 2 0\n 0:1\n 1:1\n", "the problem has no labels"),
        (" 1:1\n 2:1\n", "the problem has no labels"),
        ("", "has no examples; at least one is needed"),
        ("1,2 1:nan\n3 1:1\n", "line 1, column 7: the value 'nan' is not finite"),
        ("1,2\n1\n", "has no features; at least one is needed"),
    ],
)
def test_a_wrong_file_ends_in_a_sentence(train, tmp_path, text, said):
    (tmp_path / "x").write_text(text)
    error = train.error("--prune", "0", tmp_path / "x", tmp_path / "m")
    assert said in error
    assert "Traceback" not in error
    assert not (tmp_path / "m").exists()
