"""Training over a container in memory, and held to a part of its size: wall time and memory.

Makes containers of generated examples, unless they are in --folder already. The examples are like
text: rows of unit length, features as frequent as words, and labels of a linear model with some
noise. Each loss is trained to a relative gap of 1e-3: with the container in the page cache, and
with ``memory`` set to --part of its size. The second process loads the modules and then enters a
control group with that limit; pages of files count, earlier memory does not. A control group needs
root. Without one, RLIMIT_DATA limits the private memory, which does not include mapped files, and
another thread keeps dropping the file from the page cache. So every block that the training
releases is read from the disk again. The table has wall seconds of the training alone, their ratio,
CPU seconds, the peak memory, and the kind of limit. Peak memory is the largest growth of RssAnon +
RssFile + RssShmem, sampled every 5 ms. This sum counts blocks that are read past the system's cache
twice; the control group counts them once. --notes writes the notes of the solver to standard error.

    python tools/bench/files/out_of_core.py --bytes 1e9 --folder /var/tmp
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
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
#: Where control groups lie, and what a new one is told; None: the limit.
GROUPS: dict[str, dict[str, int | None]] = {
    "/sys/fs/cgroup": {"memory.max": None, "memory.swap.max": 0},
    "/sys/fs/cgroup/memory": {"memory.limit_in_bytes": None},
}


def piece_of(job: tuple[int, int, int, int, int]) -> Piece:
    """(seed, rows, features, values of a row on average, classes) of generated examples."""
    seed, count, features, length, classes = job
    chances = 1 / np.arange(1, features + 1) ** 0.9
    ends_of_chances = np.cumsum(chances / chances.sum())
    true = np.random.default_rng(0).standard_normal((features, classes))
    rng = np.random.default_rng([1, seed])
    lengths = rng.poisson(1.3 * length, count) + 1
    row = np.repeat(np.arange(count), lengths)
    drawn = np.searchsorted(ends_of_chances, rng.random(len(row)))
    keys = np.unique(row * features + drawn)
    row, column = keys // features, keys % features
    values = rng.lognormal(size=len(keys))
    values /= np.sqrt(np.bincount(row, values**2, count))[row]
    scores = np.stack([np.bincount(row, values * true[column, j], count) for j in range(classes)])
    scores += 0.3 * rng.standard_normal(scores.shape)
    best = scores.argmax(axis=0)
    labels = np.where(best == 0, 1.0, -1.0) if classes == 2 else best.astype(np.float64)
    ends = np.cumsum(np.bincount(row, minlength=count))
    return Piece(values, column.astype(np.int32), ends, labels)


def write_examples(path: Path, size: float, features: int, length: int, classes: int) -> None:
    """A container of about ``size`` bytes of rows with ``length`` values on average."""
    n = int(size / (12 * length))
    counts = [min(ROWS_AT_ONCE, n - begin) for begin in range(0, n, ROWS_AT_ONCE)]
    jobs = [(seed, count, features, length, classes) for seed, count in enumerate(counts)]
    with container_file(path) as writer, multiprocessing.Pool() as pool:
        for piece in pool.imap(piece_of, jobs):
            writer.add(piece)
        writer.finish(features)


def in_status(*names: str) -> int:
    """Bytes that /proc/self/status tells under these names, together."""
    with open("/proc/self/status") as status:
        found = (line.split() for line in status if line.startswith(names))
        return sum(1024 * int(words[1]) for words in found)


def resident() -> int:
    return in_status("RssAnon", "RssFile", "RssShmem")


def group_of(limit: int) -> Path | None:
    """A new control group that may take ``limit`` bytes of memory; None where it is not allowed."""
    for name, files in GROUPS.items():
        folder = Path(name) / f"rrmlinear-{os.getpid()}"
        with contextlib.suppress(OSError):
            folder.mkdir()
        if all(os.access(folder / each, os.W_OK) for each in files):
            for each, value in files.items():
                (folder / each).write_text(str(limit if value is None else value))
            return folder
        with contextlib.suppress(OSError):
            folder.rmdir()
    return None


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


def train(
    path: Path, loss: str, memory: int | None, rules: dict[str, Any], group: Path | None
) -> dict[str, Any]:
    """A training in this process."""
    warnings.simplefilter("ignore")
    threading.stack_size(STACK)  # which RLIMIT_DATA counts
    choices, _ = LOSSES[loss]
    problem = Problem.open(path)
    small = problem.take(np.arange(200))
    fit(small, Parameter(**choices, **rules, max_passes=3))  # loads the modules
    file = os.open(path, os.O_RDONLY)
    before, seen = resident(), [0]
    parameter = Parameter(**choices, **rules, gap_tol=GAP, memory=memory)

    def sample() -> None:
        seen.append(resident() - before)

    def evict() -> None:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)

    if memory is None:
        assert problem.container is not None
        problem.container.bring(0, problem.n_examples)
    else:
        evict()
    if group is not None:
        (group / "cgroup.procs").write_text(str(os.getpid()))
    elif memory is not None:
        limit = in_status("VmData") + memory + SLACK
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    other = evict if memory and group is None else sample
    with Repeated(sample, SAMPLED_EVERY), Repeated(other, EVICTED_EVERY):
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


def in_process(path: Path, loss: str, memory: int | None, rules: dict[str, Any]) -> dict[str, Any]:
    """The same in a process of its own, held to ``memory`` where there is such a limit."""
    group = None if memory is None else group_of(memory)
    words = [sys.executable, __file__, loss, "--folder", str(path), "--child"]
    words += [str(memory or 0), str(group or ""), json.dumps(rules)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    try:
        ended = subprocess.run(words, capture_output=True, text=True, env=environment)
    finally:
        if group is not None:
            group.rmdir()
    if ended.returncode:
        said = ended.stderr.strip().splitlines() or [f"ended by signal {-ended.returncode}"]
        raise SystemExit(f"{loss} failed: {said[-1]}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return {**found, "held": "a control group" if group else "RLIMIT_DATA and eviction"}


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
    parser.add_argument("--seconds", type=float, help="time limit of each training")
    parser.add_argument("--notes", action="store_true", help="show the notes of the solver too")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        memory, group, rules = options.child
        held = int(memory) or None, json.loads(rules), Path(group) if group else None
        found = train(options.folder, options.losses[0], *held)
        print(json.dumps(found))
        return
    heads = "loss", "container", "in memory", "limit", "held to it", "ratio", "CPU seconds"
    print(f"| {' | '.join(heads)} | RssAnon + RssFile | held by |")
    print("| --- " * 9 + "|")
    for loss in options.losses or LOSSES:
        classes = LOSSES[loss][1]
        sizes = options.bytes, options.features, options.length, classes
        path = options.folder / "out_of_core_{:.0f}_{}_{}_{}.rrm".format(*sizes)
        if not path.exists():
            write_examples(path, *sizes)
        size = path.stat().st_size
        limit = int(options.part * size)
        rules = {"C": options.cost, "time_limit": options.seconds}
        whole = in_process(path, loss, None, rules)
        held = in_process(path, loss, limit, rules)
        cells = (
            loss,
            f"{size / 1e6:.0f} MB",
            f"{whole['wall']:.1f} s, {whole['passes']} passes",
            f"{limit / 1e6:.0f} MB",
            f"{held['wall']:.1f} s, {held['passes']} passes",
            f"{held['wall'] / whole['wall']:.2f}",
            f"{whole['cpu']:.1f}, {held['cpu']:.1f}",
            f"{held['peak'] / 1e6:.0f} MB",
            held["held"],
        )
        print(f"| {' | '.join(cells)} |", flush=True)
        if options.notes:
            for each in (whole, held):
                told = f"{each['status']}, gap {each['gap']:.1e}"
                print(told, *each["notes"], sep="\n    ", file=sys.stderr)


if __name__ == "__main__":
    main()
