"""The rule of Crammer and Singer's machine: the ranges that a measurement notes."""

import numpy as np
import pytest

from rrmlinear.data.rows import Rows
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.loop.rules.of_duals import ClassRange
from rrmlinear.solvers.loop.rules.rule import Point


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
