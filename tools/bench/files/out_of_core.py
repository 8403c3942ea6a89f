"""Training over a container in memory, and held to a part of its size: wall time and memory.

Makes containers of generated text-like examples (rows of unit length, features with frequencies as
words have, labels of a linear model with some noise), unless they are in --folder already. Each
loss is trained to a relative gap of 1e-3: with the container in the page cache, and with
``memory`` set to --part of its size. The second process may take that much memory beside what it
had after the modules were loaded (RLIMIT_DATA, which counts private memory and not mapped files),
and another thread takes the file from the page cache all the time, so that each block that the
training lets go of is read from the disk again, as under a control group that holds pages of files
too. Shown are wall seconds of the training alone, their ratio, and the largest sum of RssAnon and
RssFile beyond the start, sampled every 5 ms.

    python tools/bench/files/out_of_core.py --bytes 1.5e9 --folder /var/tmp
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from rrmlinear import Parameter, Problem, fit
from rrmlinear.data.container.pieces import Piece
from rrmlinear.data.container.writing import container_file

#: Choices by the name of the loss, and classes of its container.
LOSSES: dict[str, tuple[dict[str, Any], int]] = {
    "hinge": ({"loss": "hinge"}, 2),
    "squared-hinge": ({"loss": "squared-hinge"}, 2),
    "logistic": ({"loss": "logistic"}, 2),
    "weston-watkins": ({"solver": 30}, 5),
    "l1-logistic": ({"loss": "logistic", "regularizer": "l1"}, 2),
}
GAP = 1e-3
ROWS_AT_ONCE = 5000
SAMPLED_EVERY, EVICTED_EVERY = 0.005, 0.02
#: Memory of Python's threads and of allocators, beside the limit.
SLACK, STACK = 16_000_000, 1 << 18


def write_examples(
    path: Path, size: float, features: int, length: int, classes: int, seed: int = 0
) -> None:
    """A container of about ``size`` bytes of rows with ``length`` values on average."""
    rng = np.random.default_rng(seed)
    n = int(size / (12 * length))
    chances = 1 / np.arange(1, features + 1) ** 0.9
    ends_of_chances = np.cumsum(chances / chances.sum())
    true = rng.standard_normal((features, classes))
    with container_file(path) as writer:
        for begin in range(0, n, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, n - begin)
            lengths = rng.poisson(1.3 * length, count) + 1
            row = np.repeat(np.arange(count), lengths)
            drawn = np.searchsorted(ends_of_chances, rng.random(len(row)))
            keys = np.unique(row * features + drawn)
            row, column = keys // features, keys % features
            values = rng.lognormal(size=len(keys))
            values /= np.sqrt(np.bincount(row, values**2, count))[row]
            scores = np.stack(
                [np.bincount(row, values * true[column, j], count) for j in range(classes)]
            )
            scores += 0.3 * rng.standard_normal(scores.shape)
            best = scores.argmax(axis=0)
            labels = np.where(best == 0, 1.0, -1.0) if classes == 2 else best.astype(np.float64)
            ends = np.cumsum(np.bincount(row, minlength=count))
            writer.add(Piece(values, column.astype(np.int32), ends, labels))
        writer.finish(features)


def in_status(*names: str) -> int:
    """Bytes that /proc/self/status tells under these names, together."""
    with open("/proc/self/status") as status:
        found = (line.split() for line in status if line.startswith(names))
        return sum(1024 * int(words[1]) for words in found)


def resident() -> int:
    return in_status("RssAnon", "RssFile")


class Repeated:
    """Calls a function every few seconds on a thread, within a with block."""

    def __init__(self, call: Any, every: float) -> None:
        self.call, self.every, self.ended = call, every, threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self.ended.wait(self.every):
            self.call()

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *error: Any) -> None:
        self.ended.set()
        self.thread.join()


def train(path: Path, loss: str, memory: int | None, cost: float) -> dict[str, Any]:
    """A training in this process."""
    warnings.simplefilter("ignore")
    threading.stack_size(STACK)  # which RLIMIT_DATA counts
    choices, _ = LOSSES[loss]
    problem = Problem.open(path)
    small = problem.take(np.arange(200))
    fit(small, Parameter(**choices, C=cost, max_passes=3))  # loads the modules
    evicting = os.open(path, os.O_RDONLY)
    before, seen = resident(), [0]
    parameter = Parameter(**choices, C=cost, gap_tol=GAP, memory=memory)

    def sample() -> None:
        seen.append(resident() - before)

    def evict() -> None:
        os.posix_fadvise(evicting, 0, 0, os.POSIX_FADV_DONTNEED)

    if memory is None:
        assert problem.container is not None
        problem.container.bring(0, problem.n_examples)
    else:
        evict()
        limit = in_status("VmData") + memory + SLACK
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    with Repeated(sample, SAMPLED_EVERY), Repeated(evict if memory else sample, EVICTED_EVERY):
        begin, cpu = time.perf_counter(), time.process_time()
        model = fit(problem, parameter)
        wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    result: Any = model.result
    return {
        "wall": wall,
        "cpu": cpu,
        "peak": max(seen),
        "gap": result.last.relative_gap,
        "passes": result.passes,
        "status": str(result.status),
        "notes": result.notes,
    }


def in_process(path: Path, loss: str, memory: int | None, cost: float) -> dict[str, Any]:
    """The same in a process of its own."""
    words = [sys.executable, __file__, "--child", loss, str(memory or 0), "--cost", str(cost)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(
        [*words, "--folder", str(path)], capture_output=True, text=True, env=environment
    )
    if ended.returncode:
        raise SystemExit(f"{loss} failed: {ended.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def main() -> None:
    """Print a line for each loss."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("losses", nargs="*", help=f"of {', '.join(LOSSES)}; default all")
    parser.add_argument("--bytes", type=float, default=1.5e9)
    parser.add_argument("--features", type=int, default=50_000)
    parser.add_argument("--length", type=int, default=200, help="values of a row")
    parser.add_argument("--part", type=float, default=0.1, help="of the size, as memory")
    parser.add_argument("--cost", type=float, default=1.0, help="C")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--notes", action="store_true", help="show the notes of the solver too")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        loss, memory = options.child
        found = train(options.folder, loss, int(memory) or None, options.cost)
        print(json.dumps(found))
        return
    for loss in options.losses or LOSSES:
        classes = LOSSES[loss][1]
        sizes = options.bytes, options.features, options.length, classes
        path = options.folder / "out_of_core_{:.0f}_{}_{}_{}.rrm".format(*sizes)
        if not path.exists():
            write_examples(path, *sizes)
        size = path.stat().st_size
        limit = int(options.part * size)
        whole = in_process(path, loss, None, options.cost)
        held = in_process(path, loss, limit, options.cost)
        print(
            f"{loss:15} {size / 1e6:.0f} MB  in memory {whole['wall']:.1f} s "
            f"({whole['passes']} passes)  held to {limit / 1e6:.0f} MB {held['wall']:.1f} s "
            f"({held['passes']} passes, gap {held['gap']:.1e})  ratio "
            f"{held['wall'] / whole['wall']:.2f}  peak {held['peak'] / 1e6:.0f} MB",
            flush=True,
        )
        if options.notes:
            for each in (whole, held):
                print(f"    {each['status']} cpu {each['cpu']:.1f}", *each["notes"], sep="\n    ")


if __name__ == "__main__":
    main()
