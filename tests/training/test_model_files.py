"""Model files: LIBLINEAR's text, with every number in it checked."""

import os
import random
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.data.problem import Problem
from rrmlinear.training.fit import fit
from rrmlinear.training.model import Model
from rrmlinear.training.model_files.header import ModelFileError
from rrmlinear.training.model_files.writing import save_model

TEXT = """\
solver_type MCSVM_WW
nr_class 2
label 1 -1
nr_feature 2
bias -1
w
0.5 -0.5 
-1.25 1.25 
"""


def write(tmp_path, text):
    path = tmp_path / "some.model"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(tmp_path, text):
    path = write(tmp_path, text)
    with pytest.raises(ModelFileError) as caught:
        Model.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_liblinear_format_to_the_byte(tmp_path):
    weights = np.array([[0.5, -0.5], [-1.25, 1.25]])
    save_model(Model("MCSVM_WW", np.array([1, -1]), weights, 2), tmp_path / "m")
    assert (tmp_path / "m").read_text() == TEXT


def test_numbers_are_those_of_printf(tmp_path):
    chance = np.random.default_rng(0)
    bits = chance.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    special = [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.0, -0.0, 1e22]
    # neighbours of powers of ten and of two, ends that lie halfway, and few digits
    apart = 1 + np.arange(-7, 8) * 2.0**-53
    edges = np.outer([*10.0 ** np.arange(-20, 22), *2.0 ** np.arange(-60, 60)], apart).ravel()
    halfway = chance.integers(0, 2**53, 5000) * 2.0 ** chance.integers(-56, -1, 5000)
    short = chance.integers(-999, 999, 5000) / 10.0 ** chance.integers(0, 9, 5000)
    numbers = np.concatenate([special, edges, halfway, short, bits[np.isfinite(bits)]])
    weights = numbers[: len(numbers) // 2 * 2].reshape(-1, 2)
    save_model(Model("MCSVM_WW", np.array([0, 1]), weights, len(weights)), tmp_path / "m")
    written = (tmp_path / "m").read_text().split("\nw\n")[1]
    assert written == "".join(f"{a:.17g} {b:.17g} \n" for a, b in weights.tolist())
    assert Model.load(tmp_path / "m").weights.tobytes() == weights.tobytes()


@pytest.mark.parametrize("bias", [-1.0, 1.0, 0.1])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(("loss", "solver"), [*((loss, 32) for loss in LOSSES), (None, 31)])
def test_every_kind_of_model_reads_back(tmp_path, loss, solver, n_classes, bias):
    chance = np.random.default_rng(n_classes)
    X, y = chance.standard_normal((40, 3)), np.arange(40) % n_classes * 3 - 4
    if loss and LOSSES[loss].labels is not None:
        y = (y + 5) / (y.max() + 5)  # counts, costs and shares
    model = fit(Problem.from_arrays(X, y, bias=bias), Parameter(solver=solver, loss=loss))
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    name, loss = ("SDCA", loss) if loss else ("MCSVM_WW_Shark", "weston-watkins")
    assert (again.solver_name, again.loss, again.bias, again.n_features) == (name, loss, bias, 3)
    assert again.labels.tolist() == model.labels.tolist()
    assert again.weights.shape == model.weights.shape
    assert again.weights.tobytes() == model.weights.tobytes()
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert again.predict(X).tobytes() == model.predict(X).tobytes()


SDCA = """\
solver_type SDCA
loss hinge
nr_class 2
label 1 -1
nr_feature 2
bias -1
w
0.5 
-1.25 
"""
REGRESSION = SDCA.replace("hinge", "squared").replace("label 1 -1\n", "")


def test_texts_of_one_column(tmp_path):
    model = Model.load(write(tmp_path, SDCA))
    assert model.weights.tolist() == [[0.5], [-1.25]]
    assert model.predict([[1, 0], [0, 1], [0, 0]]).tolist() == [1, -1, -1]
    save_model(model, tmp_path / "m")
    assert (tmp_path / "m").read_text() == SDCA
    model = Model.load(write(tmp_path, REGRESSION))
    assert model.is_regression
    assert model.predict([[1, 0], [0, 1]]).tolist() == [0.5, -1.25]
    save_model(model, tmp_path / "m")
    assert (tmp_path / "m").read_text() == REGRESSION


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("L2R_LR", "logistic"),
        ("L2R_L1LOSS_SVC_DUAL", "hinge"),
        ("L2R_L2LOSS_SVC", "squared-hinge"),
        ("L1R_LR", "logistic"),
    ],
)
def test_liblinears_own_classifiers_are_read(tmp_path, name, loss):
    text = SDCA.replace("SDCA", name).replace("loss hinge\n", "")
    model = Model.load(write(tmp_path, text))
    assert (model.solver_name, model.loss) == (name, loss)
    assert model.predict([[1, 0], [0, 1]]).tolist() == [1, -1]
    save_model(model, tmp_path / "m")
    assert (tmp_path / "m").read_text() == text


@pytest.mark.parametrize("name", ["L2R_L2LOSS_SVR", "L2R_L1LOSS_SVR_DUAL"])
def test_liblinears_own_regressions_are_read(tmp_path, name):
    text = REGRESSION.replace("SDCA", name).replace("loss squared\n", "")
    assert Model.load(write(tmp_path, text)).predict([[2, 0]]).tolist() == [1.0]


def test_a_model_without_its_loss_is_not_saved(tmp_path):
    model = Model("SDCA", np.array([1, 2]), np.ones((3, 1)), 3)
    with pytest.raises(ValueError, match="a model of SDCA cannot be saved without its loss"):
        model.save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_many_blocks(tmp_path):
    weights = np.random.default_rng(1).standard_normal((30_000, 3))
    save_model(Model("MCSVM_WW", np.arange(3), weights, 30_000), tmp_path / "m")
    assert (tmp_path / "m").stat().st_size > 1 << 20
    assert Model.load(tmp_path / "m").weights.tobytes() == weights.tobytes()


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.replace(" \n", "\n"),
        TEXT + "\n \n",
        TEXT.replace("nr_class 2\nlabel 1 -1\n", "label 1 -1\nnr_class 2\n"),
        TEXT.replace("0.5 -0.5", "\t5e-1   -.5"),
    ],
)
def test_harmless_differences_are_read(tmp_path, text):
    model = Model.load(write(tmp_path, text))
    assert model.weights.tolist() == [[0.5, -0.5], [-1.25, 1.25]]
    assert model.labels.tolist() == [1, -1]


OF_SDCA = [
    ("loss hinge\n", "", 6, "the header ends without loss"),
    ("hinge", "hing", 2, "SDCA has no loss 'hing'; it has hinge, "),
    ("SDCA", "MCSVM_WW", 2, "MCSVM_WW has no loss 'hinge'; it has weston-watkins"),
    ("label 1 -1\n", "", 6, "the header ends without label"),
    ("label 1 -1", "label 1 2 3", 4, "3 labels for nr_class 2"),
    ("0.5 ", "0.5 1 ", 8, "found '1' after the 1 numbers of the line"),
]
OF_REGRESSION = [
    ("nr_class 2", "nr_class 3", 3, "nr_class of a regression or a one-class machine must be 2"),
    ("bias", "label 1 2\nbias", 5, "a regression or a one-class machine has no labels"),
    ("0.5 ", "0.5 1 ", 7, "found '1' after the 1 numbers of the line"),
]
OF_TEXT = [
    ("MCSVM_WW", "MCSVM_XX", 1, "unknown solver type.\n"),
    ("bias -1", "bogus 3", 5, "unknown text in model file: [bogus]\n"),
    ("bias -1\n", "", 5, "without bias"),
    ("nr_class 2\n", "", 5, "without nr_class"),
    ("bias -1\n", "bias -1\nbias -1\n", 6, "bias stands in line 5 already"),
    ("nr_class 2", "nr_class 3", 3, "2 labels for nr_class 3"),
    ("nr_class 2", "nr_class 0", 2, "nr_class is '0'"),
    ("nr_class 2", "nr_class two", 2, "nr_class is 'two'"),
    ("nr_class 2", "nr_class 2.0", 2, "nr_class is '2.0'"),
    ("nr_class 2", "nr_class 99999999999999999999", 2, "nr_class is '9999"),
    ("label 1 -1", "label 1 1", 3, "the label 1 stands there twice"),
    ("label 1 -1", "label 1 x", 3, "the label 'x' is not a whole number of 32 bits"),
    ("label 1 -1", "label 1 2147483648", 3, "'2147483648' is not a whole number"),
    ("nr_feature 2", "nr_feature 0", 4, "nr_feature is '0'"),
    ("nr_feature 2", "nr_feature -5", 4, "nr_feature is '-5'"),
    ("nr_feature 2", "nr_feature 1", 8, "found '-1.25' after the 1 lines of weights"),
    ("nr_feature 2", "nr_feature 3", 8, "the file ends after 2 of 3 lines of weights"),
    ("nr_feature 2", "nr_feature 1000000000000", 6, "at least 4000000000000 bytes"),
    ("bias -1", "bias nan", 5, "bias is 'nan'"),
    ("bias -1", "bias 1_0", 5, "bias is '1_0'"),
    ("bias -1", "bias", 5, "bias is ''"),
    ("bias -1", "bias 1", 8, "the file ends after 2 of 3 lines of weights"),
    ("\nw\n", "\nw 1\n", 6, "found '1' after 'w'"),
    ("-1.25 1.25 ", "-1.25 1.25 7 ", 8, "found '7' after the 2 numbers of the line"),
    ("-1.25 1.25 ", "-1.25 ", 8, "found 1 numbers where 2 are expected"),
    ("0.5 -0.5", "0.5 x", 7, "found 'x' where weight 2 is expected"),
    ("0.5 -0.5", "0.5 -0.5q", 7, "found '-0.5q' where weight 2 is expected"),
    ("0.5 -0.5", "0x1p3 -0.5", 7, "found '0x1p3' where weight 1 is expected"),
    ("0.5 -0.5", "nan -0.5", 7, "weight 1 is 'nan'; it must be finite"),
    ("0.5 -0.5", "1e400 -0.5", 7, "weight 1 is '1e400'; it must be finite"),
    ("0.5 -0.5", "0.5 -inf", 7, "weight 2 is '-inf'; it must be finite"),
]
FAULTS = [(SDCA, *fault) for fault in OF_SDCA]
FAULTS += [(REGRESSION, *fault) for fault in OF_REGRESSION]
FAULTS += [(TEXT, *fault) for fault in OF_TEXT]


@pytest.mark.parametrize(("text", "old", "new", "line", "found"), FAULTS)
def test_every_fault_is_named(tmp_path, text, old, new, line, found):
    assert old in text
    message = refusal(tmp_path, text.replace(old, new, 1))
    assert found in message
    assert f"line {line}: " in message


def test_last_number_cut_short_is_refused(tmp_path):
    assert "cut off" in refusal(tmp_path, TEXT[:-3])


def test_empty_file_and_binary_file(tmp_path):
    assert "line 1: found the end" in refusal(tmp_path, "")
    assert "unknown text in model file: [" in refusal(tmp_path, bytes(range(256)) * 10)


def test_a_pipe_is_read(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, TEXT.encode())
    os.close(writing)
    model = Model.load(f"/dev/fd/{reading}")
    os.close(reading)
    assert model.labels.tolist() == [1, -1]


def test_models_that_no_file_can_hold(tmp_path):
    labels = np.array([0, 1])
    with pytest.raises(ValueError, match="not finite"):
        save_model(Model("MCSVM_WW", labels, np.full((1, 2), np.nan), 1), tmp_path / "m")
    with pytest.raises(ValueError, match="without features"):
        save_model(Model("MCSVM_WW", labels, np.empty((0, 2)), 0), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def fuzz_model():
    tools = str(Path(__file__).resolve().parents[2] / "tools" / "check")
    sys.path.insert(0, tools)
    yield import_module("fuzz_model")
    sys.path.remove(tools)


def test_damaged_files_load_soundly_or_are_refused(fuzz_model, tmp_path):
    chance = random.Random(3)
    outcomes = [
        fuzz_model.check(fuzz_model.damaged(fuzz_model.valid_file(chance), chance), tmp_path / "m")
        for _ in range(600)
    ]
    assert 40 < sum(outcomes) < 560


@settings(max_examples=300)
@given(
    data=st.data(),
    text=st.sampled_from(
        [
            TEXT.encode(),
            SDCA.encode(),
            REGRESSION.encode(),
            TEXT.replace("bias -1", "bias 1").encode() + b"1 2 \n",
        ]
    ),
)
def test_any_change_of_bytes(fuzz_model, tmp_path_factory, data, text):
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    changed = text[:begin] + data.draw(st.binary(max_size=12)) + text[end:]
    path = tmp_path_factory.getbasetemp() / "changed.model"
    assert fuzz_model.check(changed, path) in (True, False)
