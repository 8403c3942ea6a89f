"""Records against the frozen dataclasses that they stand for."""

import inspect
import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import numpy as np
import pytest

import rrmlinear
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.core.loading import named
from rrmlinear.core.records import record


@record(eq=True)
class Ours:
    """A record."""

    a: int
    b: str = "b"
    made: list = field(default_factory=list, compare=False)
    late: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Twin:
    """The dataclass."""

    a: int
    b: str = "b"
    made: list = field(default_factory=list, compare=False)
    late: bool = field(default=False, kw_only=True)


@pytest.mark.parametrize(
    ("given", "chosen"),
    [((1,), {}), ((1, "c"), {"late": True}), ((), {"a": 2, "made": [3]}), ((1, "c", [4]), {})],
)
def test_values_are_those_of_the_dataclass(given, chosen):
    ours, twin = Ours(*given, **chosen), Twin(*given, **chosen)
    assert list(vars(ours).items()) == list(vars(twin).items())
    told = [f"{e.name}={vars(twin)[e.name]!r}" for e in fields(twin)]
    usual = [f"{e.name}={e.default!r}" for e in fields(twin)]
    assert repr(ours) == f"Ours({', '.join(each for each in told if each not in usual)})"
    assert ours == Ours(*given, **chosen) != replace(ours, a=9)
    assert hash(ours) == hash(Ours(*given, **chosen))
    assert ours != twin
    assert pickle.loads(pickle.dumps(ours)) == deepcopy(ours) == ours
    assert Ours(1).made is not Ours(1).made


@pytest.mark.parametrize(
    ("given", "chosen"),
    [((), {}), ((1, "c", [], True), {}), ((1,), {"a": 1}), ((1,), {"none": 1}), ((), {"none": 1})],
)
def test_wrong_arguments_are_refused_as_by_the_dataclass(given, chosen):
    with pytest.raises(TypeError):
        Twin(*given, **chosen)
    with pytest.raises(TypeError, match=r"Ours\.__init__\(\) "):
        Ours(*given, **chosen)


def test_a_record_is_frozen_and_tells_its_arguments():
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'a'"):
        Ours(1).a = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'a'"):
        del Ours(1).a
    assert [each.name for each in fields(Ours)] == [each.name for each in fields(Twin)]
    ours, twin = inspect.signature(Ours).parameters, inspect.signature(Twin).parameters
    assert {n: (p.kind, p.annotation) for n, p in ours.items()} == {
        n: (p.kind, p.annotation) for n, p in twin.items()
    }
    assert ours["a"].default is inspect.Parameter.empty
    assert (ours["b"].default, ours["made"].default) == ("b", [])


def test_what_the_table_of_solvers_names_is_there():
    for row in SOLVERS.values():
        assert callable(named(row.builder))
        assert not row.is_liblinear or callable(named(row.rule))


def test_a_repr_is_one_line_with_shapes():
    ours = Ours(np.zeros((60, 4)), made=list(range(100)))
    assert repr(ours) == "Ours(a=<60 × 4 float64>, made=<list of 100>)"
    assert repr(Ours(np.arange(3))).startswith("Ours(a=[0, 1, 2]")
    problem = rrmlinear.Problem.from_arrays(np.eye(9), np.arange(9))
    model = rrmlinear.fit(problem, rrmlinear.Parameter(solver=1))
    for each in (problem, model, model.result):
        assert "\n" not in repr(each)
        assert len(repr(each)) < 400
