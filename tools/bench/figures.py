"""Make all figures of the pages again: python tools/bench/figures.py --data FOLDER

The pages are README.md and docs/*.md. A figure is `<!-- figure: NAME, M minutes -->` in front of a
block of commands, or of one command in its line. Each command runs in turn at the repository's top,
with RRMLINEAR_DATA as the folder of data. A place `<!-- made: NAME -->` to `<!-- end -->` gets the
output of the commands and a sentence on the versions. If the commands printed tables, the place
gets one table with all their columns. Other commands write their page or picture themselves. M
becomes the minutes that the figure took.

In commands FOLDER is the folder of data. --put WORD=TEXT puts a text for other words:

    --put PYTHON=peers/bin/python liblinear-walrus=../liblinear-walrus

The output of each command is kept in the folder --out. A command with output there is not run
again, so a stopped run can go on. The last lines name the figures that are left, and why.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "report_page"))

from places import made_with, pattern_of, put

TOP = Path(__file__).resolve().parents[2]
FIGURE = re.compile(
    r"<!-- figure: (?P<name>[\w-]+), (?P<minutes>[\d.]+) minutes -->"
    r"(?:`(?P<command>[^`\n]+)`|\n+```sh\n(?P<commands>.*?)^```$)",
    re.DOTALL | re.MULTILINE,
)
ROW, RULE = re.compile(r"^\|.+\|$"), re.compile(r"^[|\s:-]+$")


@dataclass(frozen=True)
class Figure:
    """Commands of a page; ``is_placed`` where their tables go into the page."""

    page: Path
    name: str
    minutes: float
    commands: tuple[str, ...]
    is_placed: bool

    @property
    def title(self) -> str:
        return f"{self.page.relative_to(TOP)}: {self.name}"


@dataclass(frozen=True)
class Made:
    """A command as it stands on the page, what it printed, with which versions, and its minutes."""

    command: str
    output: str
    versions: str
    minutes: float


def figures(pages: Iterable[Path]) -> Iterator[Figure]:
    """The figures of some pages, in their order."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for found in FIGURE.finditer(text):
            name = found["name"]
            given = found["command"] or found["commands"]
            lines = given.replace("\\\n", " ").splitlines()
            commands = tuple(" ".join(line.split()) for line in lines if line.strip())
            placed = pattern_of(f"made: {name}").search(text) is not None
            yield Figure(page, name, float(found["minutes"]), commands, placed)


def joined(outputs: Sequence[str]) -> str:
    """One table of those printed, a column for each head and the rows of all; or the texts."""
    heads: dict[str, None] = {}
    rows: list[dict[str, str]] = []
    for output in outputs:
        own: list[str] = []
        for line in output.splitlines():
            if not ROW.match(line):
                own = []
            elif not own:
                own = _cells(line)
                heads |= dict.fromkeys(own)
            elif not RULE.match(line):
                rows.append(dict(zip(own, _cells(line), strict=True)))
    if not rows:
        return f"```text\n{''.join(outputs)}```\n"
    table = [list(heads), ["---"] * len(heads), *([row.get(h, "") for h in heads] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in table)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def write(figure: Figure, made: Sequence[Made]) -> None:
    """The tables and the minutes, into the page."""
    if figure.is_placed:
        told = " ".join(dict.fromkeys(one.versions for one in made))
        put(figure.page, f"made: {figure.name}", f"{joined([m.output for m in made])}\n{told}\n\n")
    text = figure.page.read_text(encoding="utf-8")
    line = re.compile(rf"(<!-- figure: {figure.name}, )[\d.]+( minutes -->)")
    minutes = f"{sum(one.minutes for one in made):.2g}"
    figure.page.write_text(line.sub(rf"\g<1>{minutes}\g<2>", text), encoding="utf-8")


def run(command: str, chosen: argparse.Namespace) -> Made:
    """Run a command to its end; ValueError where it fails."""
    words = [sys.executable if word == "python" else word for word in shlex.split(command)]
    for name, text in {"FOLDER": str(chosen.data), **dict(chosen.put)}.items():
        words = [word.replace(name, text) for word in words]
    begin = time.monotonic()
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=TOP,
        env=os.environ | {"RRMLINEAR_DATA": str(chosen.data)},
        start_new_session=True,
    ) as process:
        try:
            output, errors = (text.decode(errors="replace") for text in process.communicate())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        said = (errors or output).strip().splitlines() or [f"exit code {process.returncode}"]
        raise ValueError(said[-1])
    return Made(command, output, made_with(), (time.monotonic() - begin) / 60)


def make(figure: Figure, chosen: argparse.Namespace) -> None:
    """Run those commands of a figure that have left nothing, and write its page."""
    made = []
    for number, command in enumerate(figure.commands, 1):
        path = chosen.out / f"{figure.name}-{number}.json"
        found = Made(**json.loads(path.read_text())) if path.exists() else None
        if chosen.again or found is None or found.command != command:
            print(f"  {command}", flush=True)
            found = run(command, chosen)
            path.write_text(json.dumps(vars(found)), encoding="utf-8")
        made.append(found)
    write(figure, made)


def _named(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form WORD=TEXT")
    return name, value


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="of LIBSVM files")
    parser.add_argument("--out", type=Path, default=Path("results/figures"), metavar="FOLDER")
    parser.add_argument("--put", nargs="+", default=[], type=_named, metavar="WORD=TEXT")
    parser.add_argument("--only", nargs="+", default=[""], metavar="PART", help="of their titles")
    parser.add_argument("--list", action="store_true", help="show pages, minutes and commands")
    parser.add_argument("--again", action="store_true", help="make again what is there")
    chosen = parser.parse_args(words)
    if not chosen.list and not (chosen.data and chosen.data.is_dir()):
        parser.error(f"--data {chosen.data} is no folder")
    if chosen.data:
        chosen.data = chosen.data.resolve()
    return chosen


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    pages = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]
    wanted = [one for one in figures(pages) if any(part in one.title for part in chosen.only)]
    if not wanted:
        print(f"ERROR: no figure has {' or '.join(chosen.only)} in its title", file=sys.stderr)
        return 1
    if chosen.list:
        for figure in wanted:
            print(f"{figure.title}, {figure.minutes:g} minutes", *figure.commands, sep="\n  ")
        return 0
    chosen.out.mkdir(parents=True, exist_ok=True)
    left = {}
    for number, figure in enumerate(wanted):
        minutes = sum(one.minutes for one in wanted[number:])
        print(
            f"[{number + 1}/{len(wanted)}] {figure.title}, {minutes:.3g} minutes to go", flush=True
        )
        try:
            make(figure, chosen)
        except KeyboardInterrupt:
            print("stopped; the same command goes on from there", file=sys.stderr)
            return 130
        except (OSError, ValueError) as error:
            left[figure.title] = str(error)
            print(f"  left: {error}", flush=True)
    print(f"{len(wanted) - len(left)} of {len(wanted)} figures made")
    for title, why in left.items():
        print(f"left: {title}: {why}")
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
