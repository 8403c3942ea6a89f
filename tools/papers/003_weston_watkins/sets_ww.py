"""The sets of the Weston–Watkins paper, stand-ins for those that are not to be had, and a run."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from data_files import data_file
from problem_sets import generator

from rrmlinear import Model, Parameter, Problem, fit, read_libsvm

#: The grid of C, as log2 C.
POWERS = range(-6, 4)
# One row of EVERY rows is held out of a set that has no test part.
EVERY = 5


class Split(NamedTuple):
    """Rows to train on and to test on; ``own_test`` where the paper tests on them too."""

    train: Problem
    test: Problem
    own_test: bool


def _file(name: str) -> Callable[[], Split]:
    def read() -> Split:
        train = read_libsvm(data_file(name))
        return Split(train, read_libsvm(data_file(f"{name}.t")), True)

    return read


def held_out(make: Callable[[], Problem]) -> Callable[[], Split]:
    def split() -> Split:
        whole = make()
        left = np.arange(whole.n_examples) % EVERY == 0
        order = np.random.default_rng(0).permutation(whole.n_examples)
        return Split(whole.take(np.sort(order[~left])), whole.take(np.sort(order[left])), False)

    return split


def _generated(kind: str, *sizes: int) -> Callable[[], Problem]:
    return lambda: Problem.from_arrays(*getattr(generator(), f"{kind}_data")(*sizes, seed=0))


#: Sets by the paper's names. news20 is that of rows of length 1, not the paper's scaled one;
#: rcv1 is generated text of its size, aloi generated rows of its numbers of columns and classes.
SETS: dict[str, Callable[[], Split]] = {
    "dna": _file("dna.scale"),
    "satimage": _file("satimage.scale"),
    "letter": _file("letter.scale"),
    "sector": _file("sector.scale"),
    "news20": held_out(lambda: read_libsvm(data_file("news20.unit"))),
    "rcv1": held_out(_generated("text", 15_564, 47_236, 76, 53)),
    "aloi": held_out(_generated("dense", 10_000, 128, 1000)),
    "mnist": _file("mnist.scale"),
}


def fewer(split: Split, rows: int | None) -> Split:
    """The set with ``rows`` drawn rows to train on; the whole set where it has no more."""
    n = split.train.n_examples
    if rows is None or rows >= n:
        return split
    drawn = np.random.default_rng(0).permutation(n)[:rows]
    return split._replace(train=split.train.take(np.sort(drawn)))


def train(problem: Problem, C: float, block: str, delta: float, limit: float) -> Model:
    """The paper's descent with one of the block solvers, until gap ≤ delta × the first gap.

    ``limit`` bounds its CPU seconds.
    """
    parameter = Parameter(solver=30, C=C, block=block, tolerance=delta, accelerate=False)
    begun = time.process_time()
    with warnings.catch_warnings(action="ignore"):  # runs out of time are told by their status
        return fit(problem, parameter, lambda _: time.process_time() - begun > limit)


def accuracy(model: Model, test: Problem) -> float:
    """In per cent."""
    return 100 * float(np.mean(np.asarray(model.predict(test)) == test.labels))


def known_set(name: str) -> str:
    """The name, for argparse."""
    if name not in SETS:
        raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(SETS)}")
    return name


def grid_parser(description: str) -> argparse.ArgumentParser:
    """Options of a script that runs over sets and a grid of C."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", type=known_set, metavar="SET", help=", ".join(SETS))
    parser.add_argument("--powers", default=list(POWERS), metavar="LIST", help="log2 C",
                        type=lambda text: [int(word) for word in text.split(",")])  # fmt: skip
    parser.add_argument("--rows", type=int, help="fewer than a set has")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="of a run")
    parser.add_argument("--png", type=Path, metavar="FILE")
    return parser
