"""The fuzzer of extreme choices and data: a short run, and faults that it must see."""

import os

import numpy as np
import pytest


@pytest.fixture(scope="module")
def fuzzer(tool):
    return tool("fuzz_extremes")


def test_a_short_run_has_no_faults(fuzzer):
    assert fuzzer.faults(1, range(30), limit=60.0) == {}


def test_cases_are_those_of_their_seed(fuzzer):
    assert fuzzer.told(3, 5) == fuzzer.told(3, 5)
    assert len({fuzzer.told(3, number) for number in range(20)}) == 20
    doors = {fuzzer.case_of(3, number).by_command for number in range(20)}
    assert doors == {True, False}


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (lambda: os.kill(os.getpid(), 9), "crash: exit code -9"),
        (lambda: os.kill(os.getpid(), 19), "hang: no end within 1 s"),
        (lambda: 1 // 0, "traceback"),
    ],
    ids=["crash", "hang", "traceback"],
)
def test_faults_are_seen(fuzzer, monkeypatch, outcome, told):
    monkeypatch.setattr(fuzzer, "_by_command", lambda case, folder: outcome())
    case = fuzzer.Case(True, np.ones((2, 1)), np.arange(2.0), -1.0, {"solver": 30})
    assert fuzzer.outcome_of(case, 1.0).startswith(told)


def test_a_gap_that_is_no_number_is_a_fault(fuzzer, monkeypatch):
    case = fuzzer.Case(False, np.eye(2), np.arange(2.0), -1.0, {"solver": 30})
    assert fuzzer.outcome_of(case, 30.0) == ""
    fitted = fuzzer.fit(fuzzer.Problem.from_arrays(case.X, case.y), fuzzer.Parameter(solver=30))
    monkeypatch.setattr(type(fitted.result), "gap", property(lambda result: np.nan))
    assert fuzzer.outcome_of(case, 30.0).endswith("with gap nan")
