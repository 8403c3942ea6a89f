"""Laws of every solver type: the form of data, weights as repetitions, seeds, and limits."""

from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import CHAIN_LOSSES, LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.solvers import SOLVERS, losses_of
from rrmlinear.catalog.values import Names, NamesOrWhole, Switch
from rrmlinear.solvers.loop.result import Status

#: A loss of each kind of labels for types that take several: with a kink, smooth, of all classes.
TRIED = ("hinge", "logistic", "absolute", "crammer-singer", "f1")
MEMBERS = [
    pytest.param(number, loss, id=f"{number} {loss}")
    for number, row in SOLVERS.items()
    if row.loss not in CHAIN_LOSSES
    for loss in losses_of(row)
    if "loss" not in row.choices or loss in TRIED
]
#: Those that take weights of examples: measures of all labels do not.
WEIGHTED = [member for member in MEMBERS if member.values[1] != "f1"]
#: Relative gaps; types whose certificates close late take the larger one.
USUAL, LATE = 1e-6, 1e-2
TOLERANCES = {40: LATE, 41: LATE, 34: 1e-3}
#: Pegasos draws examples, not repetitions of them, so a batch takes them all.
OWN = {41: {"batch": 1000}, 42: {"smoothing": 0.5}}


@cache
def examples(loss):
    """(X, y, weights): half of the values are 0, and so are some of the whole weights."""
    rng = np.random.default_rng(5)
    X = np.round(rng.standard_normal((45, 6)), 3) * (rng.random((45, 6)) < 0.5)
    if loss == "one-class":
        X = abs(X)  # the optimum is not 0
    scores = X @ rng.standard_normal(6) + 0.4 * rng.standard_normal(45)
    kind = LOSSES[loss].kind if loss in LOSSES else "binary"
    targets = {"regression": scores, "multiclass": np.digitize(scores, [-0.4, 0.5]).astype(float)}
    return X, targets.get(kind, np.where(scores > 0.1, 1.0, -1.0)), rng.integers(0, 3, 45)


def parameter_of(number, loss, **choices):
    """The choices of a type with a loss that it takes."""
    given = {"gap_tol": TOLERANCES.get(number, USUAL), "C": 0.3} | OWN.get(number, {})
    if number == 42 and "smoothing" not in LOSSES[loss].takes:
        del given["smoothing"]
    if loss == "one-class":
        del given["C"]
    if "loss" in SOLVERS[number].choices:
        given["loss"] = loss
    return Parameter(solver=number, **(given | choices))


@pytest.fixture
def trained(recwarn):
    """A maker of results of (X, y, weights); a run that is not solved is no news here."""

    def train(number, loss, X, y, weights=None, on_pass=None, **choices):
        problem = Problem.from_arrays(X, y, weights, bias=-1.0 if loss == "one-class" else 1.0)
        return fit(problem, parameter_of(number, loss, **choices), on_pass=on_pass).result

    return train


def assert_one_minimum(one, other):
    """Each primal value is above the common minimum by no more than its gap."""
    assert one.solved
    assert other.solved
    rounding = 1e-9 * abs(one.primal)
    assert one.dual <= other.primal + rounding
    assert other.dual <= one.primal + rounding


def values_of(choice):
    """All values of a choice that names them."""
    kind = CHOICES[choice].values
    if isinstance(kind, Switch):
        return (True, False)
    if isinstance(kind, NamesOrWhole):
        return (*kind.names, 3)
    return kind.names if isinstance(kind, Names) else ()


def is_taken(number, loss, name, value):
    if value == "V" and loss in ("hinge", "absolute"):
        return False  # option V needs a smooth loss
    try:
        select(parameter_of(number, loss, **{name: value}))
    except ChoiceError:
        return False
    return True


#: Values of the choices of a solver, which change its way and not its optimum.
WAYS = [
    pytest.param(*member.values, {name: value}, id=f"{member.id} {name} {value}")
    for member in MEMBERS
    for name in SOLVERS[member.values[0]].choices
    if CHOICES[name].owner == "solver"
    for value in values_of(name)
    if is_taken(*member.values, name, value)
]


@pytest.mark.parametrize(("number", "loss", "choice"), WAYS)
def test_every_value_of_a_choice_has_the_same_optimum(trained, number, loss, choice):
    X, y, _ = examples(loss)
    # means of all steps, and the theory's bound, close slowly
    late = {"averaging": True, "inner": "theory"}.items() & choice.items()
    given = {"gap_tol": LATE} if late else {}
    assert_one_minimum(trained(number, loss, X, y), trained(number, loss, X, y, **choice, **given))


@pytest.mark.parametrize(("number", "loss"), MEMBERS)
def test_sparse_equals_dense(trained, number, loss):
    X, y, _ = examples(loss)
    assert_one_minimum(trained(number, loss, X, y), trained(number, loss, csr_array(X), y))


@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("number", "loss"), WEIGHTED)
def test_weights_equal_repetitions(trained, number, loss, form):
    X, y, times = examples(loss)
    once = trained(number, loss, form(X), y, times.astype(float))
    often = trained(number, loss, form(np.repeat(X, times, axis=0)), np.repeat(y, times))
    assert_one_minimum(once, often)


@pytest.mark.parametrize(("number", "loss"), MEMBERS)
def test_the_same_seed_gives_the_same_bits(trained, number, loss):
    X, y, _ = examples(loss)
    one, other = (trained(number, loss, csr_array(X), y, seed=3) for _ in range(2))
    assert one.weights.tobytes() == other.weights.tobytes()
    assert (one.primal, one.dual, one.passes) == (other.primal, other.dual, other.passes)


@pytest.mark.parametrize(("number", "loss"), MEMBERS)
def test_limits_that_are_not_reached_change_nothing(trained, number, loss):
    X, y, _ = examples(loss)
    free = trained(number, loss, X, y)
    limits = {"max_passes": free.passes + 1, "time_limit": 1e5}
    limited = trained(number, loss, X, y, on_pass=lambda row: False, **limits)
    assert limited.weights.tobytes() == free.weights.tobytes()
    assert (limited.passes, limited.status) == (free.passes, free.status)


LIMITS = {
    Status.PASS_LIMIT: {"max_passes": 1},
    Status.TIME_LIMIT: {"time_limit": 1e-9},
    Status.STOPPED_BY_CALLER: {"on_pass": lambda row: True},
}


@pytest.mark.parametrize("unfinished", LIMITS)
@pytest.mark.parametrize(("number", "loss"), MEMBERS)
def test_limits_end_a_run_with_a_true_gap(trained, number, loss, unfinished):
    X, y, _ = examples(loss)
    best = trained(number, loss, X, y)
    ended = trained(number, loss, X, y, gap_tol=1e-15, **LIMITS[unfinished])
    # a pass may be all that an easy problem takes, but for rounding
    assert ended.status in (unfinished, Status.SOLVED, Status.HIDDEN, Status.STALLED)
    rounding = 1e-9 * abs(best.primal)
    assert ended.dual <= best.primal + rounding
    assert best.dual <= ended.primal + rounding
    assert ended.gap >= 0


@pytest.mark.parametrize("scale", [1, 30])
@pytest.mark.parametrize("solver", [4, 30])
def test_slow_passes_over_few_classes_are_left(solver, scale):
    rng = np.random.default_rng(300)
    X, noise = rng.normal(size=(300, 10)), 1.5 * rng.normal(size=(300, 3))
    y = (X @ rng.normal(size=(10, 3)) + noise).argmax(axis=1)
    problem = Problem.from_arrays(X * scale, y)
    result = fit(problem, Parameter(solver=solver, C=100.0, max_passes=2000)).result
    assert result.status in (Status.RULE, Status.SOLVED)
