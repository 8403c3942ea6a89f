"""Head to head on the Weston–Watkins SVM.

    python tools/papers/003_weston_watkins/bench_ww.py DATA… --peer NAME=COMMAND…

Trains ours, with each block solver and number of threads, and the commands given, in turns on the
same files to gap ≤ delta × gap after the first pass. Ours is the plain descent. With --accelerate
it is what -s 30 does by itself: where the descent is slow, the proximal point method and Newton's
method go on. A COMMAND holds {c}, {data} and {model}:

    --peer 'walrus=liblinear-walrus/train -s 30 -c {c} -t 100000 {data} {model}'
    --peer 'liblinear=liblinear/train -s 4 -c {c} {data} {model}'

The Walrus authors' program is recognized by its output, which has its solver's CPU seconds and
gaps. Of other commands only the whole process is timed, because reading, solving and saving cannot
be separated. Such a command stops by its own rule, or at --limit; at the limit the tolerance counts
as not reached. Seconds "solver" leave out reading and measuring the objective. Seconds "process"
include everything, for ours also the start of Python. First gaps depend on the order of the visits;
so the table also has the time of each to the final gap of the first peer that prints its gaps. All
programs get compressed data as a plain copy.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from comparison import COLUMNS, Comparison, compare, target_of, text_table
from data_files import plain_file
from measuring import BenchmarkError, check_outputs, take_turns, write_whole
from trainers import CommandTrainer, OurTrainer, Trainer, Training

BLOCKS = ("knapsack", "walrus", "shark")


def cost_grid(text: str) -> list[float]:
    """Costs "0.5,1,2"; powers as 2^-3; a doubling range as 2^-6:2^3."""

    def number(word: str) -> float:
        base, caret, exponent = word.partition("^")
        value = float(base) ** float(exponent) if caret else float(word)
        if not 0 < value < float("inf"):
            raise ValueError
        return value

    costs = []
    try:
        for part in text.split(","):
            first, colon, last = part.partition(":")
            costs.append(number(first))
            while colon and costs[-1] * 2 <= number(last) * (1 + 1e-9):
                costs.append(costs[-1] * 2)
    except (ValueError, OverflowError):
        what = f"{text!r} is no list of positive costs such as 0.5,1,2 or 2^-6:2^3"
        raise argparse.ArgumentTypeError(what) from None
    return costs


def contest(
    data: Path, cost: float, trainers: list[Trainer], delta: float, runs: int
) -> Comparison:
    """All trainers on one plain file at one cost.

    A first round brings the file into memory and tells the final gap of the peer. Those of ours
    that stop before it, their first gap being larger, also take turns with that gap to reach. A
    peer that its limit ends does not begin again.
    """
    with tempfile.TemporaryDirectory(prefix="bench-ww-") as folder:

        def job(trainer: Trainer, delta: float) -> Callable[[], Training]:
            return lambda: trainer.train(data, cost, delta, Path(folder))

        trials = [job(trainer, delta)() for trainer in trainers]
        target = target_of(trainers, trials)
        further = {
            at: target.gap / trials[at].curve[0].gap
            for at, trainer in enumerate(trainers)
            if target and not trainer.peer and trials[at].seconds_to(target.gap) is None
        }
        jobs = [
            (lambda trial=trial: trial) if trial.is_cut else job(trainer, delta)
            for trainer, trial in zip(trainers, trials, strict=True)
        ]
        jobs += [job(trainers[at], smaller) for at, smaller in further.items()]
        outcomes = take_turns(jobs, runs)
    beyond = dict(zip(further, outcomes[len(trainers) :], strict=True))
    return compare(data.name, cost, trainers, outcomes[: len(trainers)], target, beyond)


def run_all(chosen: argparse.Namespace, trainers: list[Trainer]) -> list[Comparison]:
    """One comparison for each file and cost."""
    found = []
    for path in chosen.data:
        with tempfile.TemporaryDirectory(prefix="bench-ww-") as folder:
            data = plain_file(path, Path(folder))
            for cost in chosen.c:
                print(f"{data.name}, C = {cost:g}", file=sys.stderr, flush=True)
                found.append(contest(data, cost, trainers, chosen.delta, chosen.runs))
    return found


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )

    def blocks(text: str) -> list[str]:
        words = text.split(",")
        if unknown := set(words) - set(BLOCKS):
            what = f"{', '.join(sorted(unknown))}: not among {', '.join(BLOCKS)}"
            raise argparse.ArgumentTypeError(what)
        return words

    def counts(text: str) -> list[int]:
        words = text.split(",")
        if not all(word.isdecimal() and int(word) for word in words):
            what = f"{text!r} is no list of whole numbers from 1 such as 1,2"
            raise argparse.ArgumentTypeError(what)
        return [int(word) for word in words]

    parser.add_argument("data", nargs="+", type=Path, metavar="DATA", help="LIBSVM file")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("-c", type=cost_grid, default=[1.0], metavar="GRID", help="0.5,1 2^-6:2^3")
    parser.add_argument("--blocks", type=blocks, default=list(BLOCKS))
    parser.add_argument("--threads", type=counts, default=[1, 2])
    parser.add_argument("--accelerate", action="store_true", help="ours as -s 30 is by itself")
    parser.add_argument("--runs", type=int, default=5, help="of each, for the medians")
    parser.add_argument("--delta", type=float, default=0.0009)
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="of a training by a peer")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    parser.add_argument("--png", type=Path, metavar="FILE", help="gap against CPU seconds")
    chosen = parser.parse_args(words)
    if chosen.runs < 1:
        parser.error(f"--runs is {chosen.runs}, at least 1 is needed")
    if chosen.limit is not None and not chosen.limit > 0:
        parser.error(f"--limit is {chosen.limit:g}, it must be positive")
    if not 0 < chosen.delta < 1:
        parser.error(f"--delta is {chosen.delta}, it must lie between 0 and 1")
    return chosen


def gap_drawer() -> Callable[[list[Comparison], Path], None]:
    try:
        from gap_figure import draw_gaps
    except ImportError as error:
        raise BenchmarkError(f"--png needs matplotlib: {error}") from None
    return draw_gaps


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    try:
        peers = [CommandTrainer.parse(text, chosen.limit) for text in chosen.peer]
        names = [peer.name for peer in peers]
        if len(set(names)) < len(names):
            raise BenchmarkError(f"the names of the peers must differ: {', '.join(names)}")
        ours = [
            OurTrainer(block, count, chosen.accelerate)
            for block in chosen.blocks
            for count in chosen.threads
        ]
        for path in chosen.data:
            if not path.is_file():
                raise BenchmarkError(f"there is no file {path}")
        check_outputs(chosen.csv, chosen.png)
        draw_gaps = gap_drawer() if chosen.png else None
        trainers: list[Trainer] = [*peers, *ours]
        found = run_all(chosen, trainers)
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(text_table(found))
    if chosen.csv:

        def write_csv(path: Path) -> None:
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS)
                writer.writeheader()
                writer.writerows(row.as_dict() for one in found for row in one.rows)

        write_whole(chosen.csv, write_csv)
    if draw_gaps:
        write_whole(chosen.png, lambda path: draw_gaps(found, path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
