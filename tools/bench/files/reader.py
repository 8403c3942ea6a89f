"""Time reading LIBSVM files: python tools/bench/files/reader.py FILE... [--peer NAME=COMMAND]...

Compares rrmlinear.read_libsvm on one and two threads with scikit-learn's load_svmlight_file and, if
XGBoost is installed, with its DMatrix on one thread. --peer adds a command that reads the file;
"{data}" stands for the file's name:

    --peer "liblinear=train -q -s 12 -e 1e9 {data} /dev/null"

Every measurement is a process of its own, and the readers take turns. Each process reads the file
twice, and the second read is timed: by then the file is in the page cache and the process has its
pages. For a command the whole process is timed. --cpu counts CPU seconds of all threads, for a
machine with other work. Peak memory is the growth of the largest resident size by the first read.
Files in .xz are unpacked before they are read.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import lzma
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OURS = """
from rrmlinear.data.text.libsvm_format import read_libsvm
def read(name):
    problem = read_libsvm(name, threads={threads})
    rows = problem.rows
    return sum(a.nbytes for a in (rows.values, rows.indices, rows.indptr, problem.labels))
"""
SCIKIT_LEARN = """
from sklearn.datasets import load_svmlight_file
def read(name):
    X, y = load_svmlight_file(name)
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes
"""
XGBOOST = """
import xgboost
xgboost.set_config(verbosity=0)
def read(name):
    data = xgboost.DMatrix(name + "?format=libsvm", nthread=1)
    return 8 * data.num_nonmissing()
"""
# VmHWM, not ru_maxrss: the latter starts at the size of the process that forked this one
MEASURE = """
import sys, time
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
before = peak()
size = read(sys.argv[1])
added = peak() - before
clock = getattr(time, sys.argv[2])
begin = clock()
read(sys.argv[1])
print(clock() - begin, added, size)
"""


def measure_program(program: str, clock: str, name: str) -> tuple[float, int, int]:
    """(seconds, bytes of peak memory added, bytes of the arrays) of reading in a new process."""
    command = [sys.executable, "-c", program + MEASURE, name, clock]
    # after the import of NumPy an idle OpenBLAS thread spins for a while on the second processor
    quiet = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=quiet)
    seconds, peak, size = done.stdout.split()
    return float(seconds), int(peak), int(size)


def measure_command(command: str, name: str) -> tuple[float, int, int]:
    """The same of a command; its arrays are unknown: 0."""
    words = [name if word == "{data}" else word for word in shlex.split(command)]
    begin = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command!r} failed on {name} with exit code {child.returncode}")
    return seconds, usage.ru_maxrss * 1024, 0


def measure_file(name: str, readers: dict[str, object], repetitions: int) -> list[list[object]]:
    """One row of the table for each reader."""
    size = len(Path(name).read_bytes())
    found: dict[str, list[tuple[float, int, int]]] = {reader: [] for reader in readers}
    for _ in range(repetitions):
        for reader, measure in readers.items():
            found[reader].append(measure(name))  # type: ignore[operator]
    rows = []
    for reader, measured in found.items():
        seconds = statistics.median(run[0] for run in measured)
        peak = statistics.median(run[1] for run in measured)
        arrays = measured[0][2]
        ratio = f"{peak / arrays:.2f}" if arrays else ""
        rows.append(
            [Path(name).name, size, reader, f"{seconds:.4f}", f"{size / seconds / 1e6:.0f}"]
            + [f"{peak / 1e6:.1f}", f"{arrays / 1e6:.1f}", ratio]
        )
    return rows


def unpacked(name: str, folder: str) -> str:
    """The file, or its text in the folder."""
    if not name.endswith(".xz"):
        return name
    plain = Path(folder, Path(name).stem)
    with lzma.open(name) as packed, plain.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return str(plain)


def main() -> int:
    """Measure, print the table and write the CSV."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--without-scikit-learn", action="store_true")
    parser.add_argument("--cpu", action="store_true", help="processor seconds, not the clock's")
    parser.add_argument("--csv", type=Path, default=Path("results/reader.csv"))
    arguments = parser.parse_args()

    clock = "process_time" if arguments.cpu else "perf_counter"

    def program(text: str) -> object:
        return lambda name: measure_program(text, clock, name)

    def command(text: str) -> object:
        return lambda name: measure_command(text, name)

    readers = {f"rrmlinear {k}": program(OURS.format(threads=k)) for k in (1, 2)}
    if not arguments.without_scikit_learn:
        readers["scikit-learn"] = program(SCIKIT_LEARN)
    if importlib.util.find_spec("xgboost"):
        readers["XGBoost"] = program(XGBOOST)
    for peer in arguments.peer:
        name, _, text = peer.partition("=")
        readers[name] = command(text)

    header = ["file", "bytes", "reader", "seconds", "MB/s", "peak MB", "arrays MB", "peak/arrays"]
    arguments.csv.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        open(arguments.csv, "w", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(header)
        print("{:<16} {:>12} {:<14} {:>9} {:>6} {:>8} {:>9} {:>11}".format(*header))
        for path in arguments.files:
            for row in measure_file(unpacked(path, folder), readers, arguments.repetitions):
                writer.writerow(row)
                print("{:<16} {:>12} {:<14} {:>9} {:>6} {:>8} {:>9} {:>11}".format(*row))
    print(f"written to {arguments.csv}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
