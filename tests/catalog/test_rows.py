"""The rows tell the truth about the classes behind them, and are complete."""

import inspect

import numpy as np
import pytest

from rrmlinear import Parameter
from rrmlinear.catalog.choices import CHOICES, Choices
from rrmlinear.catalog.losses import (
    CHAIN_LOSSES,
    LOSSES,
    MEASURE_LOSSES,
    NAMED_LOSSES,
    OWN_LOSSES,
    TASK_LOSSES,
)
from rrmlinear.catalog.regularizers import LIMIT, REGULARIZERS, build_regularizer
from rrmlinear.catalog.rows import FEATURES, resolved
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.solvers import SOLVERS, losses_of, regularizers_of
from rrmlinear.catalog.values import Names, NamesOrWhole, Switch
from rrmlinear.cli.flags import FLAGS
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.solvers.dual import accelerated, prox_sdca
from rrmlinear.solvers.gradient import agm
from rrmlinear.solvers.primal_dual import pdprox

GIVEN = {"l1": 0.5, "groups": [0, 0, 1], "radius": 2.0}


def built(name, smoothing=None):
    row = TASK_LOSSES.get(name) or LOSSES[name]
    return row.build(*resolved(row.takes, Choices(smoothing=smoothing)).values())


SMOOTHINGS = [(name, None) for name in LOSSES]
SMOOTHINGS += [(name, 0.5) for name, row in LOSSES.items() if "smoothing" in row.takes]


@pytest.mark.parametrize(("name", "smoothing"), SMOOTHINGS)
def test_a_loss_offers_what_its_row_says(name, smoothing):
    row, loss = LOSSES[name], built(name, smoothing)
    offers = row.offers(resolved(row.takes, Choices(smoothing=smoothing)))
    assert ("smooth" in offers) == loss.differentiable
    assert isinstance(loss, ScalarLoss if "one-score" in offers else BlockLoss)
    if "one-score" in offers:
        assert ("pieces" in offers) == (loss.pieces(np.ones(1)) is not None)
    assert ("classes" in offers) == (row.kind in ("binary", "multiclass"))


@pytest.mark.parametrize("name", CHAIN_LOSSES)
def test_a_loss_of_sequences_offers_what_its_row_says(name):
    row = CHAIN_LOSSES[name]
    for smoothing in (0.0, 0.5) if row.takes else (None,):
        chosen = Choices(smoothing=smoothing)
        loss = row.build(*resolved(row.takes, chosen).values())
        assert ("smooth" in row.offers(resolved(row.takes, chosen))) == loss.differentiable


@pytest.mark.parametrize("name", MEASURE_LOSSES)
def test_a_measure_offers_what_its_row_says(name):
    row = MEASURE_LOSSES[name]
    measure = row.build(*row.takes.values())
    assert row.threshold == measure.ranks
    assert (measure.told_by == "pairs") == (not hasattr(measure, "ratio"))
    assert not measure.differentiable


LIMITS = [(name, limits) for name in REGULARIZERS for limits in ({}, {"unpenalized": [1]})]
LIMITS += [(name, {"lower": 0.0}) for name, row in REGULARIZERS.items() if row.bounded]


@pytest.mark.parametrize(("name", "limits"), LIMITS)
def test_a_regularizer_offers_what_its_row_says(name, limits):
    row = REGULARIZERS[name]
    given = {each: GIVEN[each] for each in row.needed}
    omega = build_regularizer(row, Choices(**given, **limits))
    if not row.needs:
        omega = omega.over((3,))
    offers = row.offers("lower" in limits, "unpenalized" in limits)
    assert ("strongly-convex" in offers) == (omega.modulus > 0)
    assert ("linear" in offers) == bool(omega.linear)


def test_needs_and_offers_are_features():
    named = [feature for row in NAMED_LOSSES.values() for feature in row.could_offer]
    named += [feature for row in REGULARIZERS.values() for feature in row.offers() | row.needs]
    named += [feature for row in SOLVERS.values() for need in row.needs for feature in need]
    named += [feature for row in CHOICES.values() for feature in row.needs]
    assert set(named) == set(FEATURES)


def test_choices_named_in_rows_exist():
    for row in SOLVERS.values():
        assert set(row.choices) <= set(CHOICES)
        assert row.loss in {**NAMED_LOSSES, **OWN_LOSSES}
        assert row.regularizer in REGULARIZERS
        assert len(losses_of(row)) >= 1 <= len(regularizers_of(row))
    for row in (*NAMED_LOSSES.values(), *TASK_LOSSES.values(), *REGULARIZERS.values()):
        assert set(row.takes) | set(row.positive) <= set(CHOICES)
    for row in CHOICES.values():
        assert set(row.excluded_by) | set(row.only_with) <= set(CHOICES)


def test_every_choice_of_a_loss_or_regularizer_belongs_to_one():
    of_losses = {name for row in TASK_LOSSES.values() for name in row.takes}
    of_losses |= {name for row in NAMED_LOSSES.values() for name in row.takes}
    assert of_losses == {name for name, row in CHOICES.items() if row.owner == "loss"}
    of_regularizers = {name for row in REGULARIZERS.values() for name in row.choices}
    owned = {name for name, row in CHOICES.items() if row.owner == "regularizer"}
    assert of_regularizers == owned - {"unpenalized", "limit"}
    of_solvers = {name for row in SOLVERS.values() for name in row.choices}
    assert {name for name, row in CHOICES.items() if row.owner == "solver"} <= of_solvers


def test_defaults_are_told_as_the_rows_have_them():
    for name, row in CHOICES.items():
        if row.owner in ("loss", "regularizer"):
            rows = (*NAMED_LOSSES.values(), *REGULARIZERS.values())
            for default in {each.takes[name] for each in rows if name in each.takes}:
                assert default in (None, ()) or f"{default:g}" in row.usually, name
    assert CHOICES["limit"].usually.startswith(f"{LIMIT:g}, or {LIMIT:g} times what scores")


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("option", prox_sdca.OPTIONS),
        ("sampling", prox_sdca.SAMPLINGS),
        ("inner", accelerated.PACES),
        ("route", agm.ROUTES),
        ("storage", pdprox.STORAGES),
    ],
)
def test_names_are_those_of_the_solvers(name, names):
    assert set(CHOICES[name].values.names) == set(names)


def test_the_default_name_comes_first():
    usual = {
        name: (row.usually.split(";")[0], row.values.names)
        for name, row in CHOICES.items()
        if isinstance(row.values, Names | NamesOrWhole)
    }
    named = {name: names[0] == first for name, (first, names) in usual.items() if first in names}
    assert {"option", "sampling", "block", "inner"} <= named.keys()
    assert all(named.values())


def test_a_parameter_has_the_fields_of_the_rows_and_tells_them():
    assert list(inspect.signature(Parameter).parameters) == list(CHOICES)
    for name, row in CHOICES.items():
        assert getattr(Parameter(), name) == row.default
        assert f"\n{name}\n    {row.meaning.split(',')[0].split('|')[0][:40]}" in Parameter.__doc__


def test_every_loss_and_every_regularizer_has_a_solver():
    for row in SOLVERS.values():
        for name in losses_of(row) if "loss" in row.choices else ():
            with_kink = any("labellings" in need for need in row.needs)
            smooths = "smoothing" in NAMED_LOSSES[name].takes and not with_kink
            smoothing = 0.5 if smooths else None
            chosen = select(Parameter(solver=row.number, loss=name, smoothing=smoothing))
            assert any(need <= chosen.features for need in row.needs)
    assert {name for row in SOLVERS.values() for name in losses_of(row)} == {
        *NAMED_LOSSES,
        *OWN_LOSSES,
    }
    assert {name for row in SOLVERS.values() for name in regularizers_of(row)} == set(REGULARIZERS)


def test_every_choice_has_a_flag():
    assert set(FLAGS) == set(CHOICES)
    flags = [flag.flag for flag in FLAGS.values()]
    assert len(set(flags)) == len(flags)
    switches = {name for name, row in CHOICES.items() if isinstance(row.values, Switch)}
    assert switches == {name for name, flag in FLAGS.items() if not flag.value}
