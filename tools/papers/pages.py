"""The papers' figures and tables, made again: python tools/papers/pages.py 003 --minutes 20

Makes a page in the folder --out for each of the papers named (000 to 004, by default all). A page
has the paper's figures, its tables beside ours, its claims, and what was found. Each figure is made
by a command of its own, which the page shows. Its output is kept in the folder and is not made
again, so a stopped run can go on. --minutes bounds the whole run: with fewer minutes, commands take
fewer rows and shorter runs. --jobs is the number of figures at a time, each on one core. --pictures
puts small copies of the pictures into a folder, and --into writes what was found into the places
`<!-- found: paper-NNN -->` of a page of docs/. Data sets come from the folder RRMLINEAR_DATA, or
../shared/data; where none of a figure's sets is there it is left out, and the page says so.
WALRUS_PROGRAM may name `train` of the authors of paper 003.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench" / "report_page"))

from evidence import Evidence, Made
from places import made_with, put

from rrmlinear.pages.page import Section, check_available, write_page
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
#: Colours of a small copy of a picture.
COLOURS = 48


def evidence_of(paper: str) -> list[Evidence]:
    """The list in evidence_NNN.py of the paper's folder."""
    sys.path.insert(0, str(PAPERS / PAGES[paper][0]))
    found: list[Evidence] = importlib.import_module(f"evidence_{paper}").EVIDENCE
    return found


class Clock:
    """Deals the seconds until ``end`` on some cores out to figures, by their shares."""

    def __init__(self, end: float, cores: int, shares: float) -> None:
        self.end, self.cores, self.waiting = end, cores, shares
        self.running: list[float] = []  # when each is to end
        self.lock = Lock()

    @contextmanager
    def seconds_for(self, share: float) -> Iterator[float]:
        """The seconds of the next figure; none where the time is over."""
        with self.lock:
            now = time.monotonic()
            left = self.end - now
            free = self.cores * left - sum(max(end - now, 0.0) for end in self.running)
            seconds = max(min(left, free * share / self.waiting), 0.0)
            self.waiting -= share
            self.running.append(now + seconds)
        try:
            yield seconds
        finally:
            with self.lock:
                self.running.remove(now + seconds)


class Page:
    """The page of a paper, written anew after each of its figures."""

    def __init__(self, paper: str, out: Path) -> None:
        self.paper, self.out, self.lock = paper, out, Lock()
        (out / paper).mkdir(parents=True, exist_ok=True)
        self.figures = [Made(one, out / paper) for one in evidence_of(paper)]
        self.missing: dict[str, str] = {}

    def make(self, made: Made, clock: Clock) -> None:
        """Measure a figure, or note why it is not made."""
        title = f"{self.paper}: {made.evidence.title}"
        with clock.seconds_for(made.evidence.share) as seconds:
            print(f"{title}, {seconds:.0f} s", flush=True)
            begun = time.monotonic()
            why = made.measure(seconds) if seconds > 0 else "no time was left"
        if why:
            self.missing[made.evidence.title] = why
        told = f"not made: {why}" if why else "made"
        print(f"{title}: {told}, after {time.monotonic() - begun:.0f} s", flush=True)
        self.write()

    def write(self) -> None:
        with self.lock:
            sections = [made.section() for made in self.figures if made.log.exists()]
            if self.missing:
                sections.append(Section("Not made", lines=list(self.missing.items())))
            sections.append(Section("Made with", lines=versions()))
            title = f"Paper {self.paper}: {PAGES[self.paper][1]}"
            write_page(self.out / f"{self.paper}.html", title, sections)

    def put_into(self, page: Path) -> None:
        """Write what the run of each figure found into a page of docs/, a row for each sentence, or
        why none was made.
        """
        rows = ["| figure | found in this run |", "| --- | --- |"]
        for made in self.figures:
            why = self.missing.get(made.evidence.title, "no run is there")
            told = (made.found() or [""]) if made.log.exists() else [f"not made: {why}"]
            keys = [f"`{made.evidence.key}`", *[""] * (len(told) - 1)]
            rows += [f"| {key} | {one} |" for key, one in zip(keys, told, strict=True)]
        put(page, f"found: paper-{self.paper}", "\n".join([*rows, "", made_with(), "", ""]))

    def copy_pictures(self, folder: Path) -> None:
        """Copies in a few colours, a third as large."""
        from PIL import Image

        folder.mkdir(parents=True, exist_ok=True)
        for made in self.figures:
            if made.png.exists():
                name = f"{self.paper}-{made.evidence.key}.png"
                with Image.open(made.png) as picture:
                    small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
                    small.save(folder / name, optimize=True)


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(PAGES))
    parser.add_argument("--minutes", type=float, default=60.0, help="about how long it takes")
    parser.add_argument("--out", type=Path, default=Path("papers"), metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="PART", help="figures whose key has it")
    parser.add_argument("--jobs", type=int, default=1, help="figures made at a time")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="gets small copies")
    parser.add_argument("--into", type=Path, metavar="FILE", help="such as docs/papers.md")
    parser.add_argument("--again", action="store_true", help="make again what is there")
    chosen = parser.parse_args(words)
    for paper in chosen.papers:
        if paper not in PAGES:
            parser.error(f"{paper} is no paper; there are {', '.join(PAGES)}")
    if not chosen.minutes > 0:
        parser.error(f"--minutes is {chosen.minutes}, it must be positive")
    if chosen.jobs < 1:
        parser.error(f"--jobs is {chosen.jobs}, it must be 1 or more")
    return chosen


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    begin = time.monotonic()
    try:
        check_available()
        pages = [Page(paper, chosen.out) for paper in chosen.papers or PAGES]
    except ImportError as error:
        print(f"ERROR: no page: {error}", file=sys.stderr)
        return 1
    wanted = [
        (page, made)
        for page in pages
        for made in page.figures
        if chosen.only in made.evidence.key and (chosen.again or not made.log.exists())
    ]
    if chosen.jobs > 1:  # the long ones first
        wanted.sort(key=lambda each: -each[1].evidence.share)
    shares = sum(made.evidence.share for _, made in wanted)
    clock = Clock(begin + 60 * chosen.minutes, chosen.jobs, shares)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for done in [pool.submit(page.make, made, clock) for page, made in wanted]:
            done.result()
    for page in pages:
        page.write()
        if chosen.pictures is not None:
            page.copy_pictures(chosen.pictures)
        if chosen.into is not None:
            page.put_into(chosen.into)
        made = sum(each.log.exists() for each in page.figures)
        known, where = len(page.figures), chosen.out / page.paper
        print(f"{made} of {known} figures and tables in {where}.html", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
