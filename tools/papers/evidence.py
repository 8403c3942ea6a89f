"""The evidence for a paper: figures and tables, each with the command that makes it again."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from data_files import data_file
from measuring import BenchmarkError

from rrmlinear.pages.page import Image, Section
from rrmlinear.pages.run import Table

TOP = Path(__file__).resolve().parents[2]
# A command may take PATIENCE times its seconds and a minute, as other programs may slow it.
PATIENCE = 6
# A line of a script's output that begins so is what its run found.
FOUND = "found: "
ROW, RULE = re.compile(r"^\|(.+)\|$"), re.compile(r"^[|\s:-]+$")


@dataclass(frozen=True)
class Evidence:
    """A figure or table of a paper.

    ``words`` gives the command's words for a number of seconds. ``claim`` is the paper's; ``off``
    says what differs from its experiment, ``stand_ins`` which data are not its own. ``share`` is
    the part of the time that it gets, beside the shares of the others. Where ``draws``, the command
    takes --png, which it gets where matplotlib is.
    """

    key: str
    title: str
    script: Path
    words: Callable[[float], Sequence[str]]
    claim: str
    off: str = ""
    stand_ins: str = ""
    share: float = 1.0
    draws: bool = True

    def command(self, seconds: float) -> list[str]:
        """The command without its outputs."""
        return [sys.executable, str(self.script), *self.words(seconds)]


@dataclass(frozen=True)
class Made:
    """What a command has left in a folder: its text, and the picture where there is one."""

    evidence: Evidence
    folder: Path

    @property
    def log(self) -> Path:
        """The command in the first line, then its standard output."""
        return self.folder / f"{self.evidence.key}.txt"

    @property
    def png(self) -> Path:
        return self.folder / f"{self.evidence.key}.png"

    def measure(self, seconds: float) -> str:
        """Run the command for some seconds; why it left nothing, or ""."""
        command = self.evidence.command(seconds)
        draws = self.evidence.draws and find_spec("matplotlib") is not None
        words = [*command, "--png", str(self.png)] if draws else command
        shown = shlex.join(["python", str(self.evidence.script.relative_to(TOP)), *command[2:]])
        errors, most = self.log.with_suffix(".err"), PATIENCE * seconds + 60
        try:
            with errors.open("w") as file:
                done = subprocess.run(
                    words,
                    stdout=subprocess.PIPE,
                    stderr=file,
                    timeout=most,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            return f"it did not end within {most:.0f} seconds"
        if done.returncode:
            said = errors.read_text(errors="replace").strip().splitlines()
            return said[-1] if said else f"exit code {done.returncode}"
        self.log.write_text(f"{shown}\n{done.stdout.decode()}", encoding="utf-8")
        return ""

    def found(self) -> list[str]:
        """The sentences on what the run found."""
        text = self.log.read_text(encoding="utf-8").splitlines()
        return [line.removeprefix(FOUND) for line in text if line.startswith(FOUND)]

    def section(self) -> Section:
        """The part of the page."""
        one = self.evidence
        command, *text = self.log.read_text(encoding="utf-8").splitlines()
        lines = [("the paper", one.claim)]
        lines += [("found here", sentence) for sentence in self.found()]
        if one.off:
            lines.append(("off from the paper", one.off))
        lines.append(("command", command))
        images = [Image(one.title, self.png.read_bytes())] if self.png.exists() else []
        return Section(
            one.title,
            lines,
            images=images,
            tables=list(tables_of(text)),
            warnings=[f"Stand-in: {one.stand_ins}"] if one.stand_ins else [],
        )


def tables_of(text: Sequence[str]) -> Iterator[Table]:
    """The tables in Markdown. A line with a blank line before a table is its title."""
    rows: list[list[str]] = []
    said = title = ""
    for line in [*text, ""]:
        row = ROW.match(line)
        if row is None:
            if rows:
                yield Table(title, rows[0], rows[1:])
                rows = []
            said, title = line, "" if line else said
        elif not RULE.match(line):
            rows.append([cell.strip() for cell in row[1].split("|")])


def present(*names: str) -> list[str]:
    """The paths of those sets that are there."""
    found = []
    for name in names:
        with suppress(BenchmarkError):
            found.append(str(data_file(name)))
    return found
