"""Head-to-heads on one page: python tools/bench/report.py --data FOLDER --out results

Runs our solvers beside LIBLINEAR, scikit-learn, lightning, cyanure, celer, skglm and snapml, as far
as the given Pythons have them. Runs LIBLINEAR's types, estimators, kernel machines, conditional
random fields and the reader beside liblinear-official, scikit-learn, python-crfsuite and XGBoost,
as far as this Python has them. Compares accuracies of the Weston–Watkins machine with those of its
paper, and its speed with the programs given with --peer ({c}, {data} and {model} stand for the cost
and the files):

    --peers-python peers/bin/python
    --peer 'walrus=liblinear-walrus/train -s 30 -c {c} -t 100000 {data} {model}'
    --peer 'liblinear=train -s 4 -c {c} {data} {model}'

Each head-to-head is a script of its own, whose solvers take turns. Its CSV is kept in the folder
--out and is not made again, so a stopped run can go on. --minutes bounds the whole run. A
head-to-head takes at most four times an equal share of the minutes left. If it is stopped there,
the problems that it has finished are kept. --jobs is the number of head-to-heads at a time, each on
one core. The page report.html is written after each of them. --into FILE also writes the ratios of
each topic into a page of docs/; topics that --only leaves out stay as they are. --ratios FILE
writes the table of the front page from that page.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock

sys.path.insert(0, str(Path(__file__).resolve().parent / "report_page"))

from head_to_heads import HeadToHead, plan
from ratios import put_ratios
from report_of_times import write_report
from summary import put_summary
from times import Time

from rrmlinear.pages.page import check_available

#: Equal shares of the time left that a head-to-head may take, as most take less than one.
MOST_SHARES = 4


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="of LIBSVM files")
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="FOLDER")
    parser.add_argument("--peers-python", action="append", default=[], metavar="PATH")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="PART", help="of the names wanted"
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="bound of the whole run")
    parser.add_argument("--jobs", type=int, default=1, help="head-to-heads at a time")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of one training")
    parser.add_argument("--runs", type=int, default=3, help="of each, for the medians")
    parser.add_argument("--into", type=Path, metavar="FILE", help="such as docs/speed.md")
    parser.add_argument("--ratios", type=Path, nargs="+", metavar="FILE", help="such as README.md")
    parser.add_argument("--again", action="store_true", help="measure again what is there")
    chosen = parser.parse_args(words)
    for name in ("minutes", "jobs", "limit", "runs"):
        if not getattr(chosen, name) > 0:
            parser.error(f"--{name} is {getattr(chosen, name)}, it must be positive")
    if chosen.ratios and not chosen.into:
        parser.error("--ratios needs --into, where the ratios come from")
    if chosen.data is not None and not chosen.data.is_dir():
        parser.error(f"--data {chosen.data} is no folder")
    return chosen


class Running:
    """The processes at work, each the head of a group of its own."""

    def __init__(self) -> None:
        self.processes: set[subprocess.Popen] = set()
        self.stopped = False

    def stop(self) -> None:
        """End them all, and those that begin yet."""
        self.stopped = True
        for process in tuple(self.processes):
            end_group(process)


def end_group(process: subprocess.Popen) -> None:
    """End a process with its workers."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def measure(
    head: HeadToHead, path: Path, seconds: float, data: Path | None, running: Running
) -> str:
    """Run a head-to-head that leaves its CSV here; why there is none, or not all of it, or "".

    The CSV has another name until its process ends, and is left there where all are stopped.
    """
    if seconds <= 0 or running.stopped:
        return "no time was left"
    path.unlink(missing_ok=True)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    command = [*head.command, "--csv", str(part)]
    log = path.with_suffix(".log")
    variables = dict(os.environ) | ({"RRMLINEAR_DATA": str(data)} if data else {})
    with (
        log.open("w") as file,
        subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=variables, start_new_session=True
        ) as process,
    ):
        running.processes.add(process)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end_group(process)
            running.processes.discard(process)
    if part.exists() and not running.stopped:
        part.replace(path)
    if code is None:
        return f"{seconds:.0f} seconds were too few for all of it"
    if code:
        said = log.read_text(errors="replace").strip().splitlines()
        return said[-1] if said else f"exit code {code}"
    return ""


def _done(
    heads: Sequence[HeadToHead], paths: dict[str, Path]
) -> list[tuple[HeadToHead, list[Time]]]:
    """The head-to-heads that have left a CSV."""
    return [(head, head.read(paths[head.key])) for head in heads if paths[head.key].exists()]


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    try:
        check_available()
    except ImportError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    chosen.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * chosen.minutes
    heads = [head for head in plan(chosen) if any(part in head.key for part in chosen.only)]
    if not heads:
        parts = " or ".join(map(repr, chosen.only))
        print(f"ERROR: no head-to-head has {parts} in its name", file=sys.stderr)
        return 1
    page = chosen.out / "report.html"
    paths = {head.key: chosen.out / f"{head.key}.csv" for head in heads}
    why = dict.fromkeys(paths, "")
    lock, running = Lock(), Running()

    def run(at: int, head: HeadToHead) -> None:
        path = paths[head.key]
        if chosen.again or not path.exists():
            left = end - time.monotonic()
            print(f"[{at + 1}/{len(heads)}] {head.title}, {left / 60:.1f} minutes left", flush=True)
            share = min(left, MOST_SHARES * chosen.jobs * left / (len(heads) - at))
            why[head.key] = measure(head, path, share, chosen.data, running)
        if running.stopped:
            return
        if why[head.key]:
            told = "cut short" if path.exists() else "not measured"
            print(f"  {head.title}: {told}: {why[head.key]}", flush=True)
        with lock:
            write_report(
                page, _done(heads, paths), [(h.title, why[h.key]) for h in heads if why[h.key]]
            )

    with ThreadPoolExecutor(chosen.jobs) as pool:
        try:
            for ended in [pool.submit(run, at, head) for at, head in enumerate(heads)]:
                ended.result()
        except KeyboardInterrupt:
            running.stop()
            pool.shutdown(cancel_futures=True)
            print("stopped; the same command goes on from there", file=sys.stderr)
            return 130
    done = _done(heads, paths)
    if chosen.into:
        put_summary(chosen.into, done)
    if chosen.ratios:
        put_ratios(chosen.ratios, chosen.into)
    print(f"{len(done)} of {len(heads)} head-to-heads in {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
