"""Turns over blocks: how often blocks are visited while they are in memory."""

import numpy as np
import pytest

from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.dual.streamed.turns import MAX_TURNS, Turns

ROWS = 10


class Blocks:
    """Two blocks at once of eight, which are always there."""

    at_once = 2

    def __init__(self):
        self.ends = np.arange(1, 9) * ROWS
        self.begins = self.ends - ROWS

    def __len__(self):
        return len(self.ends)

    def bounds(self, block):
        return int(self.begins[block]), int(self.ends[block])

    def visit(self, order):
        for at in range(0, len(order), self.at_once):
            yield order[at : at + self.at_once]


def sweeps_of_a_pass(load_passes, fall):
    """How many in the second pass, where each takes this factor of a gap away."""
    gaps, wakes = np.ones(80), np.zeros(80, dtype=np.int32)
    turns, count = Turns(Blocks(), gaps, wakes, 0, load_passes), 0

    def sweep(spans, place, above):
        nonlocal count
        count += 1
        for begin, end in spans:
            gaps[begin:end] *= 1 - fall
        return sum(end - begin for begin, end in spans)

    for _ in range(2):
        count = 0
        turns.run(0.0, sweep, lambda: None, lambda: False)
    return count


@pytest.mark.parametrize("fall", [0.1, 0.3, 0.6])
def test_dear_readings_are_made_use_of(fall):
    groups = 4
    few, many = (sweeps_of_a_pass(load, fall) for load in (1.0, 4.0))
    assert groups <= few < many <= groups * MAX_TURNS


def test_visits_of_several_scores_are_dear_beside_readings():
    assert BlockAscent.load_passes < ProxSDCA.load_passes
