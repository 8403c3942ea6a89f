"""An error about choices carries what is wrong, and speaks the language of whoever shows it."""

import copy
import pickle

import numpy as np
import pytest

from rrmlinear import LinearClassifier, LinearRegressor, Parameter
from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.catalog.values import Names, NamesOrWhole, Number, Whole
from rrmlinear.cli.flags import FLAGS, sentence_of

FLAGS_TOLD = ("--", "-s ", "-p ", "-R", "-B")


def error_of(**choices):
    with pytest.raises(ChoiceError) as caught:
        Parameter(**choices).check()
    return caught.value


def wrong_values():
    for name, row in CHOICES.items():
        if isinstance(row.values, Number):
            yield from ((name, value) for value in (-1.0, np.nan, "x", None) if value is not None)
        elif isinstance(row.values, Whole):
            yield from ((name, value) for value in (-1, 1.5, "x"))
        elif isinstance(row.values, Names | NamesOrWhole):
            yield from ((name, value) for value in ("x", 0))


@pytest.mark.parametrize(("name", "value"), list(wrong_values()))
def test_a_value_out_of_range_is_carried(name, value):
    error = error_of(**{name: value})
    assert error.field == name
    assert error.value is value
    assert error.allowed
    assert str(error).startswith(
        (f"{name} is {value!r}, it must {error.allowed}", f"unknown {name}")
    )


def value_for(name):
    """One that the choice may have."""
    values = CHOICES[name].values
    if name == "groups":
        return [0]
    if isinstance(values, Names):
        return values.names[0]
    return next(number for number in (2, 0.5, 1.5) if values.admits(number))


@pytest.mark.parametrize("name", [name for name, row in CHOICES.items() if row.owner == "loss"])
def test_a_choice_of_losses_has_no_effect_with_others(name):
    for loss, row in NAMED_LOSSES.items():
        if name not in row.takes:
            error = error_of(solver="auto", loss=loss, **{name: value_for(name)})
            assert error.field == name
            assert str(error).startswith(f"{name} has no effect with loss {loss}: it is for loss ")


@pytest.mark.parametrize("name", ["l1", "groups"])
def test_a_choice_of_regularizers_has_no_effect_with_others(name):
    for regularizer, row in REGULARIZERS.items():
        if name not in row.takes:
            needs = {need: {"groups": [0]}.get(need, 1.0) for need in row.needed}
            loss = "softmax" if row.single else "hinge"
            choices = {"solver": 35, "loss": loss, "regularizer": regularizer} | needs
            error = error_of(**choices, **{name: value_for(name)})
            assert str(error).startswith(f"{name} has no effect with regularizer {regularizer}: ")


@pytest.mark.parametrize("name", [name for name, row in CHOICES.items() if row.owner == "solver"])
def test_a_choice_without_effect_names_the_solvers_that_have_it(name):
    value = value_for(name)
    having = [str(number) for number, row in SOLVERS.items() if name in row.choices]
    told = FLAGS[name].told or FLAGS[name].flag
    for without in (number for number, row in SOLVERS.items() if name not in row.choices):
        error = error_of(solver=without, **{name: value})
        assert (error.field, error.value) == (name, value)
        assert str(error).startswith(
            f"{name} has no effect with solver {without}: it is for solver {having[0]}"
        )
        assert sentence_of(error).startswith(
            f"{told} has no effect with -s {without}: it is for -s {having[0]}"
        )
        assert str(error).endswith(having[-1])


@pytest.mark.parametrize(
    "choices",
    [
        {"epsilon": 0.1},
        {"solver": 32, "averaging": True, "free_bias": True},
        {"inner": 3, "accelerate": False},
        {"solver": 32, "regularizer": "l1"},
        {"solver": 33, "loss": "huber", "regularizer": "l1"},
        {"solver": 42, "loss": "hinge"},
        {"solver": 35, "regularizer": "l21"},
        {"solver": 41, "loss": "softmax"},
        {"solver": 35, "regularizer": "group-lasso"},
        {"solver": 35, "regularizer": "l1", "route": "dual"},
        {"solver": 35, "budget": 3.0, "loss": "logistic"},
    ],
)
def test_sentences_speak_of_fields_or_of_flags(choices):
    error = error_of(**choices)
    assert not any(flag in str(error) for flag in FLAGS_TOLD)
    assert "solver 3" not in sentence_of(error)
    assert "free_bias" not in sentence_of(error)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(other), other.field, other.value) == (str(error), error.field, error.value)
        assert sentence_of(other) == sentence_of(error)


def test_an_unmet_need_names_both_sides():
    assert str(error_of(solver=42, loss="hinge")) == (
        "solver 42 needs a smooth loss, and loss hinge has a kink: choose a smoothing above 0"
    )
    assert str(error_of(solver=32, regularizer="l1")) == (
        "solver 32 needs a strongly convex regularizer, and regularizer l1 is not; "
        "it takes l2, elastic-net"
    )


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (
            LinearRegressor("squared", epsilon=3),
            "epsilon has no effect with loss squared: it is for",
        ),
        (
            LinearRegressor("squared", solver="accelerated", regularizer="l1"),
            "solver accelerated needs a strongly convex regularizer, and regularizer l1 is not; ",
        ),
        (LinearClassifier("hinge", smoothing=-1), "smoothing is -1, it must be at least 0"),
    ],
)
def test_estimators_speak_of_their_parameters(estimator, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}") as caught:
        estimator.fit(np.eye(4), [0, 1, 0, 1])
    assert not any(flag in str(caught.value) for flag in FLAGS_TOLD)
    assert not any(f"solver {number}" in str(caught.value) for number in range(30, 43))
