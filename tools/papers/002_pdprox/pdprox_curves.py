"""Objectives against passes and seconds, and the paper's search for the best of 21 steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pdprox_problem import Objective

#: Iterations that are all judged; after them iterations judged are at least 1 + GROWTH times apart.
EACH, GROWTH = 20, 0.05
#: Powers of 2 that multiply the theoretical step.
POWERS = range(-10, 11)
# Fraction of the seconds for each power tried; the best FINALISTS powers then get all seconds.
TRIAL, FINALISTS = 1 / 8, 2
COARSE = 4  # between the powers that are tried first
#: Columns of a curve, with the best objective so far.
COLUMNS = ("passes", "cpu", "wall", "objective")


@dataclass
class Curve:
    """A run so far. The time of judging does not count."""

    objective: Objective
    rows: list[tuple[float, ...]] = field(default_factory=list)
    least: float = math.inf
    weights: Any = None
    count: int = 0
    next: float = 0.0

    def see(
        self,
        passes: float,
        cpu: float,
        wall: float,
        weights: Callable[[], NDArray[Any]],
        always: bool = False,
    ) -> None:
        """Judge these weights if they are due."""
        self.count += 1
        if self.count < self.next and not always:
            return
        self.next = self.count + (max(1, GROWTH * self.count) if self.count >= EACH else 1)
        w = weights()
        value = self.objective.value(w)
        if value < self.least:
            self.least, self.weights = value, w
        self.rows.append((passes, cpu, wall, self.least))

    def first(self, target: float) -> tuple[float, float, float]:
        """Passes, CPU and wall seconds when the objective was first at most this."""
        for row in self.rows:
            if row[3] <= target:
                return row[0], row[1], row[2]
        return math.inf, math.inf, math.inf


def follow(
    objective: Objective, start: Callable[[], Iterator[Any]], limit: float, target: float
) -> Curve:
    """The curve of a baseline until it reaches the target or has used its CPU seconds."""
    curve = Curve(objective)
    objective.products = 0
    cpu = wall = 0.0
    begin, began = time.process_time(), time.perf_counter()
    iterates = start()
    while cpu < limit and curve.least > target:
        w = next(iterates)
        cpu += time.process_time() - begin
        wall += time.perf_counter() - began
        if not np.isfinite(w).all():
            break
        curve.see(objective.passes, cpu, wall, lambda w=w: w, cpu >= limit)
        begin, began = time.process_time(), time.perf_counter()
    return curve


def tuned(
    objective: Objective,
    start: Callable[[float], Iterator[Any]],
    limit: float,
    target: float,
    powers: range = POWERS,
) -> float:
    """The factor 2^power whose run is first at the target, or else nearest; this is not counted.

    Powers are searched from coarse to fine: with a step too short or too long all of these methods
    are the slower the farther it is from the best.
    """
    found: dict[int, tuple[float, float]] = {}

    def merit(power: int, seconds: float) -> tuple[float, float]:
        curve = follow(objective, partial(start, 2.0**power), seconds, target)
        if not curve.rows:
            return math.inf, math.inf
        return max(curve.least, target), curve.rows[-1][1]

    def ranked(tried: Iterable[int]) -> list[int]:
        for power in tried:
            if power in powers and power not in found:
                found[power] = merit(power, TRIAL * limit)
        return sorted(found, key=found.__getitem__)

    with np.errstate(over="ignore", invalid="ignore"):
        best = ranked(powers[::COARSE])[0]
        for apart in (COARSE // 2, COARSE // 4):
            best = ranked((best - apart, best + apart))[0]
        finals = ranked(())[:FINALISTS]
        return 2.0 ** min(finals, key=lambda power: merit(power, limit))
