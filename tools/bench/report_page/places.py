"""Places of README.md and docs/ whose text tools write: from `<!-- NAME -->` to `<!-- end -->`."""

from __future__ import annotations

import re
from pathlib import Path

from rrmlinear.pages.run import versions

#: The place of the tables of all head-to-heads.
REPORT = "report"
#: What is not told beside a measurement.
UNTOLD = ("machine",)


def pattern_of(name: str) -> re.Pattern[str]:
    """Three groups: the line of the name, the text of the place, the line of its end."""
    return re.compile(rf"(<!-- {re.escape(name)} -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def text_of(page: Path, name: str) -> str:
    """The text of a place. ValueError where the page has none of that name."""
    found = pattern_of(name).search(page.read_text(encoding="utf-8"))
    if not found:
        raise ValueError(f"{page} has no lines <!-- {name} --> and <!-- end -->")
    return found[2]


def put(page: Path, name: str, text: str) -> None:
    """Write a place anew. ValueError where the page has none of that name."""
    text_of(page, name)
    whole = page.read_text(encoding="utf-8")
    changed = pattern_of(name).sub(lambda found: found[1] + text + found[3], whole)
    page.write_text(changed, encoding="utf-8")


def made_with() -> str:
    """The versions and the processor of a measurement, as one sentence."""
    known = [(name, version) for name, version in versions() if name not in UNTOLD]
    told = (version if name == "processor" else f"{name} {version}" for name, version in known)
    return f"Made with {', '.join(told)}."
