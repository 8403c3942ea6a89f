"""Many labels beside LibMultiLabel's flat and tree training and scikit-learn's OneVsRestClassifier.

python tools/bench/labels/beside_libmultilabel.py [SET …] [--programs …] [--gap 1e-2] [--prune 0]

Sets are eurlex-like and amazon-like, which are generated, and files of comma labels: bibtex,
corel5k and scene of the folder RRMLINEAR_DATA, each with its test part NAME.t, by default all but
amazon-like. Programs that train label by label take ``--sample`` labels of a generated set, spread
over their order by positives, and all of a file; the times of all labels are then those of the
sample, scaled up. Objectives are sums over these labels. rrmlinear trains each label to a relative
gap of --gap, and leaves weights below --prune out. --peer-python is the Python that has
LibMultiLabel (its linear part is enough). Each training is a process of one thread, medians of
--rounds in turns, as a table of Markdown. --csv FILE keeps the times.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, save_npz

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "datasets"))

import many_labels
from data_files import data_file
from label_trainers import PROGRAMS, TOP
from measuring import BenchmarkError, run_process, take_turns
from times import Time, write_times

from rrmlinear import read_multilabel
from rrmlinear.data.array_rows import csr_of
from rrmlinear.metrics import precision_at_k

TRAINER = Path(__file__).with_name("label_trainers.py")
SETS = ("scene", "corel5k", "bibtex", "eurlex-like")
PROBLEM = "each label against the rest, squared hinge, C = 1"
MIB = 2**20


def load(name: str) -> dict[str, Any]:
    """X and Y to train on and to test on, by name."""
    if name in many_labels.SETS:
        (X, Y), (test_X, test_Y) = many_labels.load_halves(name)
    else:
        files = data_file(name), data_file(f"{name}.t")
        parts = [read_multilabel(file) for file in files]
        names = np.unique(np.concatenate([part.labels.names for part in parts]))
        width = max(part.n_features for part in parts)
        train, test = (read_multilabel(file, n_features=width, names=names) for file in files)
        X, Y = csr_of(train.rows), train.labels.matrix()
        test_X, test_Y = csr_of(test.rows), test.labels.matrix()
    return {"X": X, "Y": Y, "test_X": test_X, "test_Y": test_Y}


def choose(Y: Any, sample: int) -> np.ndarray:
    """``sample`` labels, spread over their order by positives, of those that some rows have and
    some have not.
    """
    counts = np.bincount(csr_array(Y).indices, minlength=Y.shape[1])
    order = np.argsort(-counts, kind="stable")
    order = order[(counts[order] > 0) & (counts[order] < Y.shape[0])]
    places = np.linspace(0, len(order) - 1, min(sample, len(order)))
    return np.sort(order[np.rint(places).astype(int)])


def train(program: str, folder: Path, peer: str, *ours: float) -> dict[str, Any]:
    """The facts of a training, its best labels of the test rows as ``best``."""
    python = peer if program.startswith("libmultilabel") else sys.executable
    run = run_process([python, str(TRAINER), program, str(folder), *map(str, ours)])
    facts: dict[str, Any] = json.loads(run.output.splitlines()[-1])
    return facts | {"best": np.load(folder / "best.npy")}


def compare(
    name: str, programs: Sequence[str], sample: int, rounds: int, peer: str, *ours: float
) -> tuple[list[str], list[Time]]:
    """Rows of the table, and times of all labels."""
    arrays = load(name)
    n_labels = arrays["Y"].shape[1]
    chosen = choose(arrays["Y"], sample if name in many_labels.SETS else n_labels)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for which, matrix in arrays.items():
            save_npz(folder / f"{which}.npz", matrix, compressed=False)
        np.save(folder / "chosen.npy", chosen)
        jobs = [partial(train, program, folder, peer, *ours) for program in programs]
        found = take_turns(jobs, rounds)
    rows, times = [], []
    for program, runs in zip(programs, found, strict=True):
        row, seconds = _row(name, program, runs, arrays["test_Y"], chosen, n_labels)
        rows.append(row)
        times.append(Time(name, PROBLEM, program, None, seconds))
    return rows, times


def _row(
    name: str, program: str, runs: list[dict[str, Any]], test_Y: Any, chosen: Any, n_labels: int
) -> tuple[str, float]:
    """A row of the table, and the seconds of all labels."""
    first, trained = runs[0], runs[0]["labels"]
    # of a file those that no row, or every row, has are left out: no program needs time for them
    is_sample = trained < n_labels and name in many_labels.SETS
    scale = n_labels / trained if is_sample else 1.0
    seconds, predicting = (
        statistics.median(run[which] for run in runs) * scale for which in ("seconds", "predicting")
    )
    best = first["best"] if trained == n_labels else chosen[first["best"]]
    scores = [f"{precision_at_k(test_Y, best, k):.4f}" for k in (1, 3, TOP)]
    objective = first["objective"]
    beyond = statistics.median(run["peak"] - run["before"] for run in runs)
    cells = (
        name,
        program,
        f"{trained} of {n_labels}",
        f"{1e3 * seconds / max(trained, scale * trained):.2f}",
        f"{seconds:.2f}",
        "–" if objective is None else f"{objective:.6g}",
        "–" if is_sample else " ".join(scores),
        f"{predicting:.2f}",
        "–" if is_sample else f"{beyond / MIB:.0f}",
    )
    return f"| {' | '.join(cells)} |", seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    usual = [name for name in PROGRAMS if name != "rrmlinear-tree"]
    parser.add_argument("--programs", nargs="+", default=usual, choices=list(PROGRAMS))
    parser.add_argument("--sample", type=int, default=64)
    parser.add_argument("--gap", type=float, default=1e-2)
    parser.add_argument("--prune", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-python", default=sys.executable, metavar="FILE")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    asked = parser.parse_args()
    heads = (
        "set",
        "program",
        "labels trained",
        "CPU ms a label",
        "CPU s, all labels",
        "sum of objectives",
        "P@1, 3, 5",
        f"CPU s to predict the top {TOP}",
        "MiB beyond the data",
    )
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)
    times: list[Time] = []
    try:
        for name in asked.sets:
            how = asked.sample, asked.rounds, asked.peer_python, asked.gap, asked.prune
            rows, found = compare(name, asked.programs, *how)
            print("\n".join(rows), flush=True)
            times += found
        if asked.csv:
            write_times(asked.csv, times)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
