"""Compare two builds of the package, task by task, in interleaved pairs.

    python tools/bench/builds/builds.py OLD/.venv/bin/python NEW/.venv/bin/python [--tasks fit,read]

Each build runs in a process of its own that holds the data. A task runs in the old build, then in
the new one, and so on in turns; the ratio of a pair is the new build's CPU seconds over the old
one's. The table shows medians. The tasks stand in build_tasks.py.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Build:
    """A build at work in a process of its own."""

    def __init__(self, python: str, data: Path, scratch: str):
        # -P: the source folder at the repository's top must not hide the installed package
        command = [python, "-P", str(FOLDER / "build_tasks.py"), str(data), scratch]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ONE_THREAD},
            cwd=scratch,
        )

    def ask(self, line: str) -> str:
        """The answer to a line, or SystemExit where the process has ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"a build ended at {line!r}; its error stands above")
        return answer


def compare(old: Build, new: Build, beginnings: tuple[str, ...], pairs: int) -> None:
    """Print a line for each task whose name begins so."""
    names = json.loads(old.ask("?"))
    print(f"{'task':36} {'old ms':>9} {'new ms':>9} {'ratio':>6}   (medians of {pairs} pairs)")
    ratios = []
    for name in names:
        if not name.startswith(beginnings):
            continue
        times = [(float(old.ask(name)), float(new.ask(name))) for _ in range(pairs)]
        ratios.append(statistics.median(b / a for a, b in times))
        before, after = (1e3 * statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:36} {before:9.3f} {after:9.3f} {ratios[-1]:6.3f}", flush=True)
    if not ratios:
        raise SystemExit(f"no task begins with {' or '.join(beginnings)}; there are: {names}")
    print(f"{'geometric mean':36} {'':9} {'':9} {statistics.geometric_mean(ratios):6.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", help="the old build's Python")
    parser.add_argument("new", help="the new build's Python")
    parser.add_argument("--tasks", default="", help="beginnings of names, with commas between")
    parser.add_argument("--pairs", type=int, default=7, help="pairs of runs of each task")
    folder = os.environ.get("RRMLINEAR_DATA", FOLDER.parents[3] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(folder), help="folder of the data sets")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        pythons = (os.path.abspath(options.old), os.path.abspath(options.new))
        old, new = (Build(python, options.data.resolve(), scratch) for python in pythons)
        try:
            compare(old, new, tuple(options.tasks.split(",")), options.pairs)
        finally:
            for build in (old, new):
                build.process.kill()
                build.process.wait()


if __name__ == "__main__":
    sys.exit(main())
