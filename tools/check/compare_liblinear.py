"""The same problems by LIBLINEAR: python tools/check/compare_liblinear.py --train PROGRAM SET

SET is a LIBSVM file, or its name in the folder RRMLINEAR_DATA. Trains each loss that both programs
have: ours to a small gap, LIBLINEAR's to a small -e. A table of Markdown compares the decision
values and gives the objective at LIBLINEAR's weights. LIBLINEAR's dual solvers stop after 300
iterations; where they report this, the values may differ.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rrmlinear
from rrmlinear.data.problem import Problem
from rrmlinear.training.model import Model

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

from data_files import data_file, plain_file
from measuring import BenchmarkError

#: Loss → LIBLINEAR's solver type.
TYPES = {
    "hinge": 3,
    "squared-hinge": 1,
    "logistic": 7,
    "epsilon-insensitive": 13,
    "squared-epsilon-insensitive": 12,
    "crammer-singer": 4,
}
GAP = 1e-12
TOLERANCE = 1e-8
# How much LIBLINEAR's objective may exceed ours, relative: solved, and stopped early.
EXCESS, EXCESS_OF_UNFINISHED = 1e-6, 1e-3


class ComparisonError(Exception):
    """LIBLINEAR's program cannot be run or fails."""


@dataclass(frozen=True)
class Comparison:
    """One loss: how far LIBLINEAR's model is from ours.

    ``excess`` is its primal objective less our dual one, over our primal; ``difference`` the
    largest of decision values.
    """

    loss: str
    number: int
    difference: float
    excess: float
    finished: bool

    @property
    def agrees(self) -> bool:
        """Whether LIBLINEAR's weights are as good as ours to the tolerance."""
        most = EXCESS if self.finished else EXCESS_OF_UNFINISHED
        return -1e-12 <= self.excess <= most


def compare(program: str, data: Path, loss: str, cost: float) -> Comparison:
    """Train one loss with both programs."""
    problem = rrmlinear.read_libsvm(data)
    parameter = rrmlinear.Parameter(solver=32, loss=loss, C=cost, gap_tol=GAP)
    ours = rrmlinear.fit(problem, parameter)
    assert ours.result is not None
    theirs, finished = _liblinear(program, data, TYPES[loss], cost)
    if not np.array_equal(ours.labels, theirs.labels):
        raise ComparisonError(f"{loss}: the labels are {theirs.labels}, ours {ours.labels}")
    scores = theirs.decision_function(problem)
    difference = float(np.abs(scores - ours.decision_function(problem)).max())
    primal = _objective(ours, theirs, problem, scores)
    excess = (primal - ours.result.dual) / max(1.0, abs(ours.result.primal))
    return Comparison(loss, TYPES[loss], difference, excess, finished)


def _liblinear(program: str, data: Path, number: int, cost: float) -> tuple[Model, bool]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        words = [program, "-s", str(number), "-c", repr(cost), "-e", repr(TOLERANCE)]
        try:
            done = subprocess.run(
                [*words, str(data), str(path)], capture_output=True, text=True, check=True
            )
        except OSError as error:
            raise ComparisonError(f"{program} cannot be run: {error}") from None
        except subprocess.CalledProcessError as error:
            raise ComparisonError(f"{program} -s {number} failed: {error.stderr}") from None
        return Model.load(path), "reaching max number of iterations\nUsing" not in done.stdout


def _objective(ours: Model, theirs: Model, problem: Problem, scores: np.ndarray) -> float:
    """½‖W‖² + C Σ φ at LIBLINEAR's weights, summed over one-vs-rest problems."""
    from rrmlinear.catalog.selection import select

    assert ours.parameter is not None
    chosen = select(ours.parameter)
    loss = chosen.loss
    penalty = float((theirs.weights**2).sum() / 2)
    if chosen.kind == "multiclass":
        place = {label: at for at, label in enumerate(ours.labels.tolist())}
        classes = np.array([place[int(label)] for label in problem.labels])
        return penalty + ours.parameter.C * float(loss.values(scores, classes).sum())
    labels = problem.labels[:, np.newaxis]
    signs = labels if ours.is_regression else np.where(labels == ours.labels, 1.0, -1.0)
    columns = scores.reshape(len(scores), -1)
    losses = loss.values(signs[:, : columns.shape[1]], columns).sum()
    return penalty + ours.parameter.C * float(losses)


def main() -> int:
    """Print a row for each loss; 1 where one differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", metavar="SET", help="LIBSVM file, or name of a set")
    parser.add_argument("--train", required=True, help="LIBLINEAR's train program")
    parser.add_argument("--cost", type=float, default=1.0)
    parser.add_argument("--loss", choices=TYPES, action="append", help="default: all")
    options = parser.parse_args()
    failed = False
    heads = ["loss", "type", "largest difference", "excess of objective", "LIBLINEAR"]
    for cells in (heads, ["---"] * len(heads)):
        print(f"| {' | '.join(cells)} |")
    with tempfile.TemporaryDirectory() as folder:
        for loss in options.loss or TYPES:
            try:
                data = plain_file(data_file(options.data), Path(folder))
                found = compare(options.train, data, loss, options.cost)
            except (BenchmarkError, ComparisonError, OSError, ValueError) as error:
                print(f"ERROR: {error}", file=sys.stderr)
                return 1
            agrees = found.agrees and math.isfinite(found.difference)
            failed |= not agrees
            end = "solved" if found.finished else "gave up"
            end += "" if agrees else ", DIFFERS"
            numbers = f"{found.difference:.1e} | {found.excess:.1e}"
            print(f"| `{loss}` | `-s {found.number}` | {numbers} | {end} |")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
