"""States of plain types."""

import json
import pickle
from types import MappingProxyType

import numpy as np
import pytest

from rrmlinear import Parameter
from rrmlinear.core import plain_state
from rrmlinear.core.plain_state import VERSION, own_version, plain, restored
from rrmlinear.pages.traces import DualCounts
from rrmlinear.solvers.loop.result import Result, Status, TraceRow

TRACE = [TraceRow(n + 1, 0.1 * n, 2.0 - n, -1.0, 3.0 - n, n == 0) for n in range(3)]
VALUES = [
    None,
    True,
    "text",
    [1, (2.5, "a"), []],
    {"a": {1: 2.0, 3: None}, "b": {True: 1, False: 2}, "c": {(1, "x"): 0, None: 3}},
    Status.PASS_LIMIT,
    TRACE,
    [*TRACE, None],
    [Status.SOLVED, TRACE[0]],
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_restored_is_the_inverse(value):
    found = restored(plain(value))
    assert found == value
    assert repr(found) == repr(value)


def test_plain_values_are_such_that_json_writes_all_but_arrays():
    trace = TRACE[:1] * 2 + [TraceRow(1, 0.0, np.inf, -np.inf, np.inf)]
    result = Result(Status.SOLVED, np.ones((2, 1)), trace, 0.1, 0.2, 0.0, None, notes=("a",))
    state = pickle.loads(pickle.dumps(result)).__getstate__()
    assert "TraceRow" in json.dumps(state, default=np.ndarray.tolist)
    assert state[VERSION] == own_version()
    back = restored(plain([result]))[0]
    assert (back.status, back.trace, back.notes) == (Status.SOLVED, trace, ("a",))
    np.testing.assert_array_equal(back.weights, result.weights)


def test_lists_in_place_of_tuples_are_taken():
    counts = DualCounts(np.arange(3), 1.5, None)
    state = json.loads(json.dumps(plain({"pairs": {1: (2, 3)}, "status": Status.HIDDEN})))
    assert restored(state) == {"pairs": {1: [2, 3]}, "status": Status.HIDDEN}
    assert vars(restored(plain(counts))).keys() == vars(counts).keys()


def test_read_only_mappings_become_dicts():
    choices = pickle.loads(
        pickle.dumps(Parameter(class_weights=MappingProxyType({1: 2.0, 2: 3.0})))
    )
    assert choices == Parameter(class_weights={1: 2.0, 2: 3.0})


def test_another_version_warns_and_none_does_not(monkeypatch):
    kept = pickle.dumps(Parameter(C=2.0))
    monkeypatch.setattr(plain_state, "own_version", lambda: "99.0")
    with pytest.warns(UserWarning, match=rf"a Parameter that rrmlinear {own_version()} kept is"):
        assert pickle.loads(kept).C == 2.0
    before = Parameter.__new__(Parameter)
    before.__setstate__(vars(Parameter(C=3.0)))  # the state of versions without a stamp
    assert before.C == 3.0


@pytest.mark.parametrize("place", ["os:system", "rrmlinear.core.plain_state:import_module"])
def test_other_classes_are_refused(place):
    with pytest.raises(ValueError, match="no class whose state rrmlinear reads"):
        restored({plain_state.CLASS: place, plain_state.STATE: {}})
