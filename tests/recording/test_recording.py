"""Fits find what they found when they were recorded.

On the machine recorded, by its vectors and libraries, weights and objectives are as they were but
for rounding; with RRMLINEAR_RECORDING=bits in the environment, bit for bit. On another the
objectives are the same to six digits. Where its rounding has left an example out of a pass, so that
all later ones are visited in another order, gaps are alike. A change that is meant is recorded by
python tests/recording/record.py.
"""

import math
import os

import numpy as np
import pytest
import record
from cases import CASES

BITS = os.environ.get("RRMLINEAR_RECORDING") == "bits"
#: Of objectives, relative, where another machine recorded.
ELSEWHERE = 1e-6
#: Of gaps there, after equally many passes in another order.
MOST_UNLIKE = 4.0


@pytest.fixture(scope="module")
def recording():
    """The machine that recorded, and the outcomes by name."""
    return record.load()


def off(now, then, scale):
    """How far numbers are off, relative to a scale; 0 where the infinite ones agree."""
    now, then = np.asarray(now), np.asarray(then)
    if now.shape != then.shape:
        return np.inf
    same = now == then
    with np.errstate(invalid="ignore"):
        distances = np.where(same, 0.0, np.abs(now - then))
    return float(np.nan_to_num(distances, nan=np.inf).max(initial=0.0)) / scale


def distances(now, then):
    """How far each part of an outcome is off, relative to its scale."""
    largest = float(np.abs(then.weights).max(initial=0.0)) or 1.0
    value = max(1.0, abs(then.primal))
    return {
        "weights": off(now.weights, then.weights, largest),
        "primal": off(now.primal, then.primal, value),
        "dual": off(now.dual, then.dual, value),
    }


def report(name, now, then, machine):
    """What differs, in a sentence."""
    far = ", ".join(f"{part} {far:.3g}" for part, far in distances(now, then).items())
    return (
        f"{name!r} is off, relative: {far}; gap {now.gap:.17g}, recorded {then.gap:.17g}; "
        f"{now.status} after {now.passes} passes, recorded {then.status} after {then.passes}; "
        f"recorded with {machine}"
    )


def allowed(case, now, then):
    """How far objectives may be off where passes need not be the same.

    Both are above the minimum by no more than their gaps.
    """
    solved = "PASS_LIMIT" not in now.status + then.status
    proved = solved or math.isinf(case.within)
    return ELSEWHERE * max(1.0, abs(then.primal)) + (max(now.gap, then.gap) if proved else 0.0)


def alike(now, then):
    """Whether two runs that their limit of passes ended may be of one problem and one solver."""
    rounding = ELSEWHERE * max(1.0, abs(then.primal))
    limited = now.status == then.status == "PASS_LIMIT" and now.passes == then.passes
    bracketed = now.dual <= then.primal + rounding and then.dual <= now.primal + rounding
    return limited and bracketed and 1 / MOST_UNLIKE <= now.gap / then.gap <= MOST_UNLIKE


def bits_of(outcome):
    numbers = [outcome.primal, outcome.dual, outcome.gap]
    return np.concatenate([outcome.weights, numbers]).tobytes()


def test_only_cases_that_exist_are_recorded(recording):
    assert sorted(set(recording[1]) - set(CASES)) == [], "run record.py"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * case.slow) for name, case in CASES.items()],
)
def test_it_finds_what_it_found(recording, name):
    machine, outcomes = recording
    assert name in outcomes, f"{name!r} is not recorded: run record.py"
    now, then, case = record.run(CASES[name]), outcomes[name], CASES[name]
    said = report(name, now, then, machine)
    if BITS:
        assert (now.status, now.passes) == (then.status, then.passes), said
        assert bits_of(now) == bits_of(then), said
    elif math.isinf(case.within) or machine != record.machine():
        is_near = abs(now.primal - then.primal) <= allowed(case, now, then)
        assert is_near or alike(now, then), said
    else:
        assert (now.status, now.passes) == (then.status, then.passes), said
        assert max(distances(now, then).values()) <= case.within, said
