"""LIBLINEAR's types 0 to 7 on small sets: python tools/bench/small/small_types.py

The sets are drawn by --seed. Both programs run in this process in turn, LIBLINEAR by the package
liblinear-official, each with a problem that is made before; the least CPU seconds of --runs turns
count. For each set and type: milliseconds of ours and LIBLINEAR's at the default of -e, their
ratio, our passes, and how far the objective of LIBLINEAR's weights lies above ours, relative.
At the end: ratios below 1, and the geometric mean. --sets and --types choose some.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from liblinear_types import Peer, objective

from rrmlinear import Parameter, Problem, fit

#: Ratios count where LIBLINEAR takes this many milliseconds.
COUNTED = 0.4, 25.0

Data = tuple[Any, NDArray[np.int64]]
Random = np.random.Generator


def mixture(random: Random, n: int, d: int, k: int, apart: float = 1.0) -> Data:
    """Dense points about the centre of their class, whose columns are scaled to [−1, 1]."""
    y = random.integers(k, size=n)
    X = apart * random.normal(size=(k, d))[y] + random.normal(size=(n, d))
    return X / np.abs(X).max(axis=0), y


def halves(random: Random, n: int, d: int, noise: float = 0.5) -> Data:
    """Dense points on two sides of a plane, with a margin that is noise in part."""
    X = random.uniform(-1, 1, size=(n, d)) @ np.diag(random.uniform(0.2, 1, size=d))
    scores = X @ random.normal(size=d)
    return X, (scores + noise * scores.std() * random.normal(size=n) > 0).astype(np.int64)


def one_hot(random: Random, n: int, attributes: int, k: int) -> Data:
    """Attributes of 2 to 9 values, a column for each value."""
    sizes = random.integers(2, 10, size=attributes)
    values = np.column_stack([random.integers(size, size=n) for size in sizes])
    columns = values + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    X = csr_array(
        (np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, attributes)),
        shape=(n, int(sizes.sum())),
    )
    scores = X @ random.normal(size=(X.shape[1], k)) + random.normal(size=(n, k))
    return X, scores.argmax(axis=1)


def words(random: Random, n: int, d: int, k: int, length: int = 40) -> Data:
    """Rows of norm 1 with frequent and rare columns, as of short texts of ``k`` topics."""
    often = 1 / np.arange(1, d + 1)
    topics = often * random.gamma(0.3, size=(k, d))
    topics /= topics.sum(axis=1, keepdims=True)
    y = random.integers(k, size=n)
    counts = np.array([random.multinomial(length, topics[each]) for each in y])
    X = csr_array(np.log1p(counts) * np.log(n / (1 + (counts > 0).sum(axis=0)) + 1))
    norms = np.sqrt(X.multiply(X).sum(axis=1))
    X = csr_array(X.multiply(1 / np.maximum(norms, 1e-9)[:, np.newaxis]))
    X.sort_indices()
    return X, y


def digits(_: Random) -> Data:
    """scikit-learn's digits over 16."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X / 16, y


SETS: dict[str, Callable[[Random], Data]] = {
    "mixture 528 x 10, 11 classes": lambda random: mixture(random, 528, 10, 11, 0.8),
    "mixture 150 x 4, 3 classes": lambda random: mixture(random, 150, 4, 3, 2.0),
    "mixture 600 x 500, 3 classes": lambda random: mixture(random, 600, 500, 3, 0.1),
    "mixture 1000 x 20, 5 classes": lambda random: mixture(random, 1000, 20, 5, 0.5),
    "mixture 3000 x 16, 26 classes": lambda random: mixture(random, 3000, 16, 26, 0.9),
    "digits": digits,
    "halves 2000 x 50": lambda random: halves(random, 2000, 50),
    "halves 3000 x 8": lambda random: halves(random, 3000, 8),
    "halves 270 x 13": lambda random: halves(random, 270, 13),
    "one-hot 8000 x 22 attributes": lambda random: one_hot(random, 8000, 22, 2),
    "one-hot 1700 x 6 attributes, 4 classes": lambda random: one_hot(random, 1700, 6, 4),
    "words 1500 x 3000, 4 classes": lambda random: words(random, 1500, 3000, 4),
    "words 1000 x 2000": lambda random: words(random, 1000, 2000, 2),
}


def least(ours: Callable[[], Any], theirs: Callable[[], Any], runs: int) -> tuple[float, float]:
    """The least milliseconds of each over calls in turn."""
    best = [np.inf, np.inf]
    for _ in range(runs):
        for at, call in enumerate((ours, theirs)):
            begin = time.process_time()
            call()
            best[at] = min(best[at], 1e3 * (time.process_time() - begin))
    return best[0], best[1]


def main() -> int:
    """Print a line for each set and type."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--types", type=int, nargs="*", default=range(8))
    parser.add_argument("--sets", nargs="*", default=[""], metavar="WORD")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    gc.disable()
    counted = []
    print(f"{'set':40} {'-s':>2} {'ours':>8} {'theirs':>8} {'ratio':>6} {'passes':>6} above")
    for place, (name, make) in enumerate(SETS.items()):
        if not any(word in name for word in chosen.sets):
            continue
        problem = Problem.from_arrays(*make(np.random.default_rng([chosen.seed, place])))
        peer = Peer(problem)
        for number in chosen.types:
            parameter = Parameter(solver=number)
            model, other = fit(problem, parameter), peer.train(f"-s {number}")
            assert model.result is not None
            weights = peer.weights_of(other, model.weights.shape[1])
            primal = model.result.primal
            above = objective(number, problem, weights, model.labels) / primal - 1
            ours, theirs = partial(fit, problem, parameter), partial(peer.train, f"-s {number}")
            here, there = least(ours, theirs, chosen.runs)
            if COUNTED[0] <= there <= COUNTED[1]:
                counted.append(there / here)
            passes = model.result.passes
            print(
                f"{name:40} {number:2} {here:8.2f} {there:8.2f} {there / here:6.2f} {passes:6} "
                f"{above:.1e}",
                flush=True,
            )
    if counted:
        below, mean = sum(ratio < 1 for ratio in counted), exp(np.mean([*map(log, counted)]))
        print(f"{below} of {len(counted)} ratios below 1, geometric mean {mean:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
