"""The rule of Crammer and Singer's machine: the ranges that a measurement notes."""

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.loop.result import TraceRow
from rrmlinear.solvers.loop.rules.of_duals import ClassRange
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.rules.watch import MAX_RULE_FALL, RuleWatch


def ascent_after(passes, n_classes):
    rng = np.random.default_rng(n_classes)
    rows = Rows(rng.normal(size=(90, 7)), None, None, 7)
    label = rng.integers(0, n_classes, 90).astype(np.int32)
    costs = rng.choice([0.0, 0.3, 2.0], 90)
    ascent = BlockAscent(rows, label, n_classes, costs, CrammerSinger(), L2())
    ascent.rule = ClassRange(rows, label, costs, 0.01)
    ascent.start()
    for number in range(1, passes + 1):
        ascent.run_pass(number)
    return ascent


@pytest.mark.parametrize("n_classes", [3, 10, 20])
@pytest.mark.parametrize("passes", [1, 6])
def test_ranges_of_a_measurement_are_those_of_weights_and_duals(n_classes, passes):
    ascent = ascent_after(passes, n_classes)
    ascent.measure()
    known = ascent.rule.ratio(ascent.present())
    found = ascent.rule.ratio(Point(ascent.present_weights(), ascent.present_duals()))
    ascent.close()
    assert known > 1
    assert known == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("n_classes", [3, 20])
def test_ranges_of_the_largest_gaps_are_those_of_a_measurement(n_classes):
    ascent = ascent_after(4, n_classes)
    gaps = ascent.state.gaps.copy()
    asked = ascent.with_gap()
    assert len(asked.examples) == 90 // 8
    assert gaps[asked.examples].min() >= np.sort(gaps)[-len(asked.examples)]
    assert (ascent.state.gaps == gaps).all()  # a look changes nothing
    part = ascent.rule.ratio(asked)
    ascent.measure()
    ascent.close()
    assert asked.ranges == pytest.approx(ascent.ranges[asked.examples], rel=1e-12)
    assert 0 < part <= ascent.rule.ratio(ascent.present())


@pytest.mark.parametrize("violates", [False, True])
def test_a_part_near_the_bound_puts_off_the_measurement(violates):
    ascent = ascent_after(4, 20)
    ratio = ascent.rule.ratio(ascent.with_gap())
    bound = ascent.rule.part_bound
    ascent.rule.tolerance *= ratio / bound * (0.99 if violates else 1.01)
    row = TraceRow(4, 0.0, 10.0, 9.0, 1.0, estimated=True)
    watch = RuleWatch()
    assert watch.is_violated(ascent, row) == violates
    ascent.close()
    assert ascent.rule_is_open == violates
    if violates:  # though none of the part violates the rule itself
        assert ascent.rule.ratio(ascent.with_gap()) < 1
        assert MAX_RULE_FALL < watch.target < row.gap
