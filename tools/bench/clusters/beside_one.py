"""CPU seconds of a fit over virtual workers beside those of one process.

Those of a fit are the CPU seconds of the slowest part in each round, added up, and those of all
else. Loading is left out, and so is the way of vectors between processes. Examples are generated
with all features stored: "gaussian" with a noisy line, scaled to lengths of about 1 or not, and
"clouds" of `datasets/generate.py` with 5 % of their labels wrong. C = STRENGTH / examples.

    python tools/bench/clusters/beside_one.py --examples 1000000 --workers 2 4
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.cli.clusters.planning import Metered, virtual_workers
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.rounds.fleet import in_tree
from rrmlinear.solvers.rounds.over_parts import over_parts

KINDS = ("unit", "gaussian", "clouds")
# Standard deviations of the noise: that of scores is 1, and √d.
NOISE = {"unit": 0.5, "gaussian": 5.0}


class Slowest(Metered):
    """Counts the CPU seconds of the slowest part of each order beside those of all."""

    slowest = 0.0

    def _summed(self, sent, reply, add):
        seconds, replies = [], []
        for part in self.parts:
            begin = time.process_time()
            replies.append(reply(part))
            seconds.append(time.process_time() - begin)
        self.seconds += sum(seconds)
        self.slowest += max(seconds)
        self.exchanges += 1
        return in_tree(replies, add)


def generated(kind: str, n: int, d: int) -> Problem:
    """Examples with all of d features, in single precision, as rows of stored values."""
    random = np.random.default_rng(0)
    if kind == "clouds":
        sys.path.insert(0, str(Path(__file__).parents[3] / "datasets"))
        from generate import dense_data

        X, y = dense_data(n, d, 2, noise=0.05, dtype=np.float32)
    else:
        X = random.standard_normal((n, d), dtype=np.float32)
        X /= np.sqrt(d) if kind == "unit" else 1.0
        scores = X @ random.standard_normal(d)
        y = np.where(scores + NOISE[kind] * random.standard_normal(n) > 0, 1.0, -1.0)
    indptr = np.arange(0, (n + 1) * d, d, dtype=np.int64)
    columns = np.tile(np.arange(d, dtype=np.int32), n)
    return Problem.from_arrays(csr_array((X.ravel(), columns, indptr), shape=(n, d)), y)


def over_workers(problem: Problem, chosen: Selection, workers: int, gap: float):
    """CPU seconds, rounds and steps, of them rounds."""
    fleet = Slowest(virtual_workers(problem, chosen, workers).parts)
    first = fleet.parts[0]
    shape = first.shape if chosen.kind == "multiclass" else first.shape[:1]
    begin, seconds = time.process_time(), []
    for part in fleet.parts:
        looking = time.process_time()
        part.facts()
        seconds.append(time.process_time() - looking)
    solver = over_parts(fleet, chosen.loss, chosen.features, first.regularizer, shape)
    result = solver.solve(Stopping(gap, None, 300))
    alone = time.process_time() - begin - fleet.seconds - sum(seconds)
    return max(seconds) + fleet.slowest + alone, result.passes, fleet.rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--loss", nargs="+", default=["hinge"])
    parser.add_argument("--strength", type=float, default=3000.0, help="C times the examples")
    parser.add_argument("--workers", nargs="+", type=int, default=[2])
    parser.add_argument("--gap", type=float, default=1e-3, help="relative gap")
    parser.add_argument("--pairs", type=int, default=1, help="runs of both, one after the other")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| examples | loss | K | one process, s | workers, s | ratio | passes | rounds |")
    print("| --- " * 8 + "|")
    for kind in options.kinds:
        problem = generated(kind, options.examples, options.features)
        for loss in options.loss:
            C = options.strength / options.examples
            parameter = Parameter(loss=loss, C=C, solver=32, gap_tol=options.gap)
            for workers in options.workers:
                alone, together = [], []
                for _ in range(options.pairs):
                    begin = time.process_time()
                    fit(problem, parameter)
                    alone.append(time.process_time() - begin)
                    found = over_workers(problem, select(parameter), workers, options.gap)
                    together.append(found[0])
                one, all_of_them = float(np.median(alone)), float(np.median(together))
                print(
                    f"| {kind} | {loss} | {workers} | {one:.2f} | {all_of_them:.2f} | "
                    f"{all_of_them / one:.2f} | {found[1]} | {found[2]} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
