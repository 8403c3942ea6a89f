"""The papers' figures and tables, made again: python tools/papers/pages.py 003 --minutes 20

Makes the evidence for the papers named (000 to 004, by default all): for each a page in the folder
--out, with its figures, its tables beside ours, what the paper claims and what was found. Each
figure is a command of its own, which the page shows; what it printed and drew stays in the folder,
and what is there is not made again, so that a run that was stopped goes on. --minutes says how long
the whole may take: with less, commands take fewer rows and shorter runs. Data sets come from the
folder RRMLINEAR_DATA, or ../shared/data; where none of a figure's sets is there it is left out, and
the page says so. WALRUS_PROGRAM may name `train` of the authors of paper 003.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

from evidence import Evidence, Made

from rrmlinear.pages.page import Section, write_page
from rrmlinear.pages.run import versions

PAPERS = Path(__file__).resolve().parent
#: Paper: its folder, the module with its evidence, and its title.
PAGES = {
    "000": ("000_pragam", "Lower bounds for BMRM and faster rates for training SVMs"),
    "001": ("001_agm_ef", "Regularized risk minimization by Nesterov's accelerated gradients"),
    "002": ("002_pdprox", "An efficient primal dual prox method for non-smooth optimization"),
    "003": ("003_weston_watkins", "An exact solver for the Weston–Watkins SVM subproblem"),
    "004": ("004_prox_sdca", "Accelerated proximal stochastic dual coordinate ascent"),
}


def evidence_of(paper: str) -> list[Evidence]:
    """The list in evidence_NNN.py of the paper's folder."""
    sys.path.insert(0, str(PAPERS / PAGES[paper][0]))
    found: list[Evidence] = importlib.import_module(f"evidence_{paper}").EVIDENCE
    return found


def make(paper: str, chosen: argparse.Namespace, end: float) -> tuple[int, int]:
    """Measure what is missing, write the page; (figures on it, figures of the paper)."""
    folder = chosen.out / paper
    folder.mkdir(parents=True, exist_ok=True)
    all_of_it = evidence_of(paper)
    wanted = [one for one in all_of_it if chosen.only in one.key]
    missing: list[tuple[str, str]] = []
    for at, one in enumerate(wanted):
        made = Made(one, folder)
        if made.log.exists() and not chosen.again:
            continue
        left = sum(other.share for other in wanted[at:])
        seconds = (end - time.monotonic()) * one.share / left
        print(f"{paper}: {one.title}, {max(seconds, 0):.0f} s", flush=True)
        why = made.measure(seconds) if seconds > 0 else "no time was left"
        if why:
            print(f"  not made: {why}", flush=True)
            missing.append((one.title, why))
    done = [made for made in (Made(one, folder) for one in all_of_it) if made.log.exists()]
    sections = [made.section() for made in done]
    if missing:
        sections.append(Section("Not made", lines=missing))
    sections.append(Section("Made with", lines=versions()))
    write_page(chosen.out / f"{paper}.html", f"Paper {paper}: {PAGES[paper][1]}", sections)
    return len(done), len(all_of_it)


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(PAGES))
    parser.add_argument("--minutes", type=float, default=60.0, help="about how long it takes")
    parser.add_argument("--out", type=Path, default=Path("papers"), metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="PART", help="figures whose key has it")
    parser.add_argument("--again", action="store_true", help="make again what is there")
    chosen = parser.parse_args(words)
    for paper in chosen.papers:
        if paper not in PAGES:
            parser.error(f"{paper} is no paper; there are {', '.join(PAGES)}")
    if not chosen.minutes > 0:
        parser.error(f"--minutes is {chosen.minutes}, it must be positive")
    return chosen


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    papers = chosen.papers or list(PAGES)
    begin, seconds = time.monotonic(), 60 * chosen.minutes
    shares = [sum(one.share for one in evidence_of(paper)) for paper in papers]
    for at, paper in enumerate(papers):
        end = begin + seconds * sum(shares[: at + 1]) / sum(shares)
        try:
            made, known = make(paper, chosen, end)
        except ImportError as error:
            print(f"ERROR: no page of {paper}: {error}", file=sys.stderr)
            return 1
        print(f"{made} of {known} figures and tables in {chosen.out / paper}.html", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
