"""Run scikit-learn's own tests of the classes that we have too, on ours.

Each test file of the installed scikit-learn is copied with an import of our classes behind its own.
Only tests that make an estimator of ours count. Failures that `chosen_differences` lists are
counted apart. Exit code 1 where others fail.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from chosen_differences import DIFFERENCES  # noqa: E402
from scikit_learn_swap import FILES, source_of, swapped  # noqa: E402

NAMES = [f"{folder}_{name}" for folder, names in FILES.items() for name in names]


class Outcome(NamedTuple):
    """How a test ended, what it said, and its seconds."""

    outcome: str
    said: str
    seconds: float

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"


def run(names: Sequence[str], chosen: str | None, workers: int) -> dict[str, Outcome]:
    """The outcomes of the tests of these files whose names hold ``chosen``."""
    with TemporaryDirectory() as folder:
        place, outcomes = Path(folder), Path(folder) / "outcomes.json"
        for name in names:
            at, rest = next((f, name[len(f) + 1 :]) for f in FILES if name.startswith(f"{f}_"))
            source = source_of(at, rest).read_text(encoding="utf-8")
            (place / f"test_{name}.py").write_text(swapped(source), encoding="utf-8")
        (place / "empty.ini").touch()
        plugins = ["-p", "sklearn.conftest", "-p", "scikit_learn_swap", "-p", "no:cacheprovider"]
        how = ["-q", "--tb=short", "-W", "ignore", "--import-mode=importlib", "-n", str(workers)]
        words = [sys.executable, "-m", "pytest", "-c", "empty.ini", "--rootdir", ".", *plugins]
        some = ["-k", chosen] if chosen else []
        own = {"PYTHONPATH": str(HERE), "SWAP_OUTCOMES": str(outcomes)}
        command = [*words, *how, *some, *(f"test_{name}.py" for name in names)]
        done = subprocess.run(
            command, cwd=place, env=os.environ | own, capture_output=True, text=True
        )
        if not outcomes.exists():
            raise SystemExit(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        found = json.loads(outcomes.read_text(encoding="utf-8"))
    return {name: Outcome(*each) for name, each in found.items()}


def report(found: Mapping[str, Outcome]) -> tuple[list[str], list[str]]:
    """The lines of a report, and the tests that fail without being chosen to."""
    failed = {name: each for name, each in found.items() if not each.passed}
    kinds = {name: _difference(name) for name in failed}
    true = [name for name, kind in kinds.items() if kind is None]
    lines = [f"{name}: {failed[name].said.splitlines()[:1]}" for name in true]
    lines.append(
        f"{len(found)} tests: {len(found) - len(failed)} passed, {len(failed) - len(true)} failed "
        f"as chosen, {len(true)} failed"
    )
    for each in DIFFERENCES:
        count = sum(kind is each for kind in kinds.values())
        if count:
            lines.append(f"{count:5d} {each.reason}")
    return lines, true


def _difference(test: str) -> object:
    bare = test.removeprefix("test_")
    return next((e for e in DIFFERENCES if any(fnmatch(bare, t) for t in e.tests)), None)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help=f"files, of {', '.join(NAMES)}; all if none")
    parser.add_argument("-k", help="tests by an expression, as pytest takes it")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    wrong = [name for name in options.names if name not in NAMES]
    if wrong:
        parser.error(f"{wrong[0]} is none of {', '.join(NAMES)}")
    lines, true = report(run(options.names or NAMES, options.k, options.workers))
    print("\n".join(lines))
    return 1 if true else 0


if __name__ == "__main__":
    raise SystemExit(main())
