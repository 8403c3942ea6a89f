"""Fits end as they ended when they were recorded, at an objective that is the same by its gap.

A change that is meant is recorded by python tests/recording/record.py.
"""

import math

import pytest
import record
from cases import CASES

#: Of objectives, relative: sums of machines round in other orders.
ROUNDING = 1e-6


@pytest.fixture(scope="module")
def recorded():
    return record.load()


def test_only_cases_that_exist_are_recorded(recorded):
    assert sorted(set(recorded) - set(CASES)) == [], "run record.py"


@pytest.mark.parametrize("name", CASES)
def test_it_finds_what_it_found(recorded, name):
    assert name in recorded, f"{name!r} is not recorded: run record.py"
    now, then = record.run(CASES[name]), recorded[name]
    said = f"{name!r} has {now}, recorded {then}"
    assert now["status"] == then["status"], said
    rounding = ROUNDING * max(1.0, abs(then["objective"]))
    assert math.isfinite(now["objective"]), said
    assert now["gap"] >= -rounding, said
    # each objective is above the same minimum by no more than its gap
    assert now["objective"] - then["objective"] <= now["gap"] + rounding, said
    assert then["objective"] - now["objective"] <= then["gap"] + rounding, said
