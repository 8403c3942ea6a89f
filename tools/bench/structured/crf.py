"""Conditional random fields: CPU seconds to the objective of python-crfsuite's L-BFGS.

python tools/bench/structured/crf.py [--data generated conll2000] [--sequences M] [--alone]

Both minimize (λ/2)‖w‖² + Σ log-loss, over a weight for each attribute and label and for each pair
of labels (CRFsuite: c2 = λ/2, possible states and transitions all). CRFsuite runs to its own end,
rrmlinear until its objective is at most 1 + ``accuracy`` times CRFsuite's last one, or, ``alone``,
until its gap is that fraction. Reading the data is left out. RRMLINEAR_DATA names the folder of
conll2000.train.txt, plain or compressed. Wall seconds mean little while other work runs. --csv FILE
keeps the times.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_files import data_file
from times import Time, write_times

from rrmlinear.data.attributes.builtin import BUILTIN
from rrmlinear.data.attributes.columns import read_columns
from rrmlinear.data.attributes.dictionary import Dictionary
from rrmlinear.data.attributes.templates import parse_template
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.solvers.lbfgs.lbfgs import LBFGS
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task


def generated(m: int, length: int = 15, k: int = 20, d: int = 50_000, each: int = 20):
    """Labels of a Markov chain; features of Zipf frequencies, three in ten tied to the label."""
    rng = np.random.default_rng(0)
    steps = rng.dirichlet(np.full(k, 0.3), size=k).cumsum(axis=1)
    label = np.empty((m, length), dtype=np.int32)
    label[:, 0] = rng.integers(0, k, m)
    for t in range(1, length):
        beyond = (rng.random(m)[:, None] > steps[label[:, t - 1]]).sum(axis=1)
        label[:, t] = np.minimum(beyond, k - 1)
    seen, label = np.unique(label.ravel(), return_inverse=True)
    rank = np.minimum((d ** rng.random((m * length, each))).astype(np.int64), d) - 1
    tied = rng.random(rank.shape) < 0.3
    shift = rng.integers(0, d, size=len(seen))[label][:, None]
    features = np.where(tied, (rank * 7919 + shift) % d, rank * 104_729 % d)
    features.sort(axis=1)
    new = np.ones(features.shape, dtype=bool)
    new[:, 1:] = features[:, 1:] != features[:, :-1]
    indptr = np.concatenate(([0], np.cumsum(new.sum(axis=1))))
    rows = Rows(np.ones(indptr[-1]), features[new].astype(np.int32), indptr, d)
    return SequenceProblem(rows, label.astype(np.int32), np.arange(m + 1) * length, seen)


def conll2000(m: int):
    """The first m sentences of the chunking task, with the attributes of CRFsuite's tutorial."""
    path = data_file("conll2000.train.txt")
    template = parse_template(BUILTIN["chunking"], "chunking")
    tokens = read_columns(path, ["word", "pos"])
    problem = Dictionary.of(tokens, template)[1]
    return occurring(problem.take(np.arange(min(m, problem.n_sequences))))


def occurring(problem: SequenceProblem) -> SequenceProblem:
    """The problem without the attributes and labels that occur nowhere: CRFsuite has none."""
    rows = problem.rows
    columns, indices = np.unique(rows.indices, return_inverse=True)
    seen, label = np.unique(problem.label, return_inverse=True)
    kept = Rows(rows.values, indices.astype(np.int32), rows.indptr, len(columns))
    return SequenceProblem(kept, label.astype(np.int32), problem.starts, problem.labels[seen])


DATA = {"generated": generated, "conll2000": conll2000}


def of_crfsuite(problem: SequenceProblem, modulus: float) -> tuple[float, float, int]:
    """(its last objective, CPU seconds of training, iterations)."""
    import pycrfsuite

    rows, label = problem.rows, problem.label
    names = [str(f) for f in range(rows.shape[1])]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=True)
    told: list[str] = []
    trainer.message = told.append
    for begin, end in zip(problem.starts[:-1], problem.starts[1:], strict=True):
        items = [
            [names[f] for f in rows.indices[rows.indptr[t] : rows.indptr[t + 1]]]
            for t in range(begin, end)
        ]
        trainer.append(items, [str(y) for y in label[begin:end]])
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": modulus / 2,
            "feature.possible_states": True,
            "feature.possible_transitions": True,
        }
    )
    with tempfile.NamedTemporaryFile(suffix=".crfsuite") as file:
        begun = time.process_time()
        trainer.train(file.name)
        seconds = time.process_time() - begun
    losses = re.findall(r"Loss: ([0-9.]+)", "".join(told))
    return float(losses[-1]), seconds, len(losses)


def of_ours(
    problem: SequenceProblem, modulus: float, threads: int, value: float | None, accuracy: float
) -> tuple[float, float, float, int]:
    """(objective, CPU and wall seconds, passes) to 1 + ``accuracy`` times ``value`` or the minimum.

    The copies of the data, by features too, count.
    """
    goal = np.inf if value is None else value * (1 + accuracy)
    cpu, wall = time.process_time(), time.perf_counter()
    costs = np.ones(problem.n_sequences)
    risk = ChainRisk(problem.rows, problem.label, problem.starts, problem.n_labels, costs, threads)
    solver = LBFGS(Task.of(risk, L2(modulus)))
    arrived = accuracy if value is None else 1e-12
    result = solver.solve(
        Stopping(gap_tol=arrived), lambda row: value is not None and row.primal <= goal
    )
    return result.primal, time.process_time() - cpu, time.perf_counter() - wall, result.passes


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    arguments.add_argument("--sequences", type=int, default=None, help="of each set; default all")
    arguments.add_argument("--modulus", type=float, default=1.0, help="λ")
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--accuracy", type=float, default=1e-4)
    arguments.add_argument("--alone", action="store_true", help="without python-crfsuite")
    arguments.add_argument("--csv", type=Path, metavar="FILE")
    given = arguments.parse_args()
    times: list[Time] = []
    print("| data | program | objective | CPU seconds | wall seconds | passes |")
    print("| --- " * 6 + "|")
    for name in given.data:
        problem = DATA[name](given.sequences or {"generated": 5000}.get(name, 10**9))
        value = None
        if not given.alone:
            value, cpu, passes = of_crfsuite(problem, given.modulus)
            print(
                f"| {name} | python-crfsuite | {value:.2f} | {cpu:.1f} |  | {passes} |", flush=True
            )
            times.append(Time(name, "CRF", "python-crfsuite", given.accuracy, cpu))
        for threads in given.threads:
            ours, *seconds, passes = of_ours(problem, given.modulus, threads, value, given.accuracy)
            told = " | ".join(f"{each:.1f}" for each in seconds)
            who = f"rrmlinear x{threads}"
            print(f"| {name} | {who} | {ours:.2f} | {told} | {passes} |", flush=True)
            times.append(Time(name, "CRF", who, given.accuracy, seconds[0]))
    if given.csv:
        write_times(given.csv, times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
