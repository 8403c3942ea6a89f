"""Does a change of structure cost speed, passes or a solved problem? Two builds, in turns.

    PYTHON tools/check/yardstick.py list [REGEX]               names of the fits
    PYTHON tools/check/yardstick.py run OUT.jsonl [REGEX]      run them with this Python's build
    PYTHON tools/check/yardstick.py pair OLD NEW OUT [REGEX]   run two builds in turns, and compare
    PYTHON tools/check/yardstick.py compare OLD.jsonl NEW.jsonl

OLD and NEW are Pythons of two environments. Fits take one thread; times are CPU seconds. A fit of
less than a second is repeated, as the first may load modules, and the mean of the others counts; of
two rounds the quicker one counts. Options:
--data, the folder of the LIBSVM site's files (default: that of RRMLINEAR_DATA); --unpacked, where
they are unpacked; --limit, the seconds of a fit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from yardstick_tasks import TASKS, Runner, mean

ROUNDS = 2
# A fit of less than ONCE seconds is done again, as the first may load modules; one of less than
# SHORT is repeated for up to REPEATED seconds.
ONCE, SHORT, REPEATED, MOST = 1.0, 0.15, 0.2, 100
# What `compare` names: fits slower by this factor, and objectives above the old ones by this part.
SLOWER, WORSE = 1.5, 2e-3
QUICK = 0.02


def run(names: list[str], out: Path, runner: Runner, timed: bool = True) -> None:
    """Append a line of JSON for each fit; one that fails counts as not solved.

    ``timed``: whether short fits are repeated.
    """
    warnings.simplefilter("ignore")
    with out.open("a") as file:
        for name in names:
            try:
                found = _repeated(runner, name) if timed else runner.once(TASKS[name])
            except Exception as error:
                status = f"{type(error).__name__}: {error}"[:100]
                found = {"seconds": runner.limit, "solved": False, "passes": -1, "status": status}
                found |= {"objective": 0.0, "gap": 0.0}
            file.write(json.dumps({"task": name} | found) + "\n")
            file.flush()


def _repeated(runner: Runner, name: str) -> dict[str, Any]:
    found = runner.once(TASKS[name])
    times = [found["seconds"]]
    if times[0] < ONCE:
        times.append(runner.once(TASKS[name])["seconds"])
    while times[-1] < SHORT and sum(times[1:]) < REPEATED and len(times) < MOST:
        times.append(runner.once(TASKS[name])["seconds"])
    return found | {"seconds": sum(times[1:]) / len(times[1:]) if times[1:] else times[0]}


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The quickest run of each fit."""
    best: dict[str, dict[str, Any]] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if row["task"] not in best or row["seconds"] < best[row["task"]]["seconds"]:
            best[row["task"]] = row
    return best


def compare(old: Path, new: Path) -> int:
    """Print means of new / old and the fits that lost; the number of these."""
    a, b = read(old), read(new)
    both = [name for name in a if name in b]
    ratio = {
        name: b[name]["seconds"] / a[name]["seconds"]
        for name in both
        if a[name]["solved"] and b[name]["solved"]
    }
    for group in dict.fromkeys(task.group for task in TASKS.values()):
        part = [r for name, r in ratio.items() if TASKS[name].group == group]
        above, below = sum(r > SLOWER for r in part), sum(r < 1 / SLOWER for r in part)
        print(f"{group:11}{len(part):4} fits, new/old {mean(part):.3f}; {above} above {SLOWER:g}, "
              f"{below} below {1 / SLOWER:.2f}")  # fmt: skip
    lost = 0
    for name in both:
        before, now = a[name], b[name]
        if before["solved"] and not now["solved"]:
            lost += 1
            print(f"NOT SOLVED  {name}: {now['status']}")
        elif now["solved"] and not before["solved"]:
            print(f"now solved  {name}")
        elif ratio.get(name, 0) > SLOWER:
            times = f"{1e3 * before['seconds']:.2f} to {1e3 * now['seconds']:.2f} ms"
            passes = f"passes {before['passes']} to {now['passes']}"
            print(f"slower {ratio[name]:.2f}  {name}: {times}, {passes}")
        if name in ratio and is_worse(before["objective"], now["objective"]):
            lost += 1
            print(f"WORSE OBJECTIVE  {name}: {before['objective']:.8g} to {now['objective']:.8g}")
    quick = [r for name, r in ratio.items() if a[name]["seconds"] < QUICK]
    slow = [r for name, r in ratio.items() if a[name]["seconds"] >= QUICK]
    total = mean(list(ratio.values()))
    print(f"{len(both)} fits, {len(ratio)} solved by both; new/old {total:.3f} "
          f"in the geometric mean, {mean(quick):.3f} of those below {1e3 * QUICK:g} ms, "
          f"{mean(slow):.3f} of the others")  # fmt: skip
    return lost


def is_worse(before: float, now: float) -> bool:
    """Whether an objective is above another by more than what tolerances allow."""
    return now > before + WORSE * abs(before) + 1e-9


def pair(pythons: dict[str, str], names: list[str], out: Path, options: list[str]) -> int:
    """Run two builds in turns, a set of data at a time, and compare them."""
    for _ in range(ROUNDS):
        for data in dict.fromkeys(TASKS[name].data for name in names):
            part = json.dumps([name for name in names if TASKS[name].data == data])
            for end, python in pythons.items():
                command = [python, str(Path(__file__).resolve()), "named", f"{out}.{end}.jsonl"]
                # elsewhere: at the repository's top Python would find the sources first
                where = tempfile.gettempdir()
                subprocess.run([*command, *options], input=part, text=True, cwd=where, check=True)
    return compare(Path(f"{out}.old.jsonl"), Path(f"{out}.new.jsonl"))


def main(arguments: list[str] | None = None) -> int:
    """Run a verb; the exit code is 1 where a fit was lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=["list", "run", "pair", "compare", "named"])
    parser.add_argument("places", nargs="*")
    parser.add_argument("--data", type=Path, default=os.environ.get("RRMLINEAR_DATA", "."))
    parser.add_argument(
        "--unpacked", type=Path, default=Path(tempfile.gettempdir(), "yardstick-data")
    )
    parser.add_argument("--limit", type=float, default=20.0)
    given = parser.parse_args(arguments)
    places = given.places
    taken = {"list": 0, "run": 1, "pair": 3, "compare": 2, "named": 1}[given.verb]
    if len(places) < taken:
        parser.error(f"{given.verb} takes {taken} places, got {len(places)}")
    wanted = places[taken] if len(places) > taken else ""
    names = [name for name in TASKS if re.search(wanted, name)]
    runner = Runner(given.data, given.unpacked, given.limit)
    if given.verb == "list":
        print("\n".join(names))
    elif given.verb == "compare":
        return int(compare(Path(places[0]), Path(places[1])) > 0)
    elif given.verb == "pair":
        folders = [f"--data={Path(given.data).resolve()}", f"--unpacked={given.unpacked.resolve()}"]
        pythons = {"old": places[0], "new": places[1]}
        out = Path(places[2]).resolve()
        return int(pair(pythons, names, out, [*folders, f"--limit={given.limit}"]) > 0)
    else:
        run(json.load(sys.stdin) if given.verb == "named" else names, Path(places[0]), runner)
    return 0


if __name__ == "__main__":
    sys.exit(main())
