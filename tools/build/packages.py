"""Which pip installs packages into a virtual environment, and which packages it needs."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

#: The pip of an environment: from the package index, or where it has none, Python's own copy.
COPY = Path(sysconfig.get_path("stdlib")) / "ensurepip" / "_bundled"
PIP = ("pip", "--find-links", str(COPY)) if COPY.exists() else ("pip",)


def find_pip() -> str | None:
    """The pip of the Python that runs this, if it can install elsewhere: 22.3 is the first."""
    found = importlib.util.find_spec("pip")
    try:
        version = re.findall(r"\d+", importlib.metadata.version("pip"))
    except importlib.metadata.PackageNotFoundError:
        return None
    return found.origin if found and list(map(int, version[:2])) >= [22, 3] else None


def install_command(python: str) -> list[str]:
    """The words that let pip install packages for a Python."""
    into = (
        [sys.executable, "-m", "pip", "--python", python] if find_pip() else [python, "-m", "pip"]
    )
    # Most modules of the packages are never imported; Python compiles the others by itself.
    return [*into, "install", "--disable-pip-version-check", "--no-compile"]


def is_compiled() -> bool:
    """Whether the pip that is found has its bytecode beside it, which takes a second to make."""
    origin = find_pip()
    return origin is not None and os.path.exists(importlib.util.cache_from_source(origin))


def requirements(project: dict[str, Any], extras: tuple[str, ...]) -> list[str]:
    """What pip needs for the package with some of its extras, which may name one another."""
    found = list(project["dependencies"])
    for extra in extras:
        for requirement in project["optional-dependencies"][extra]:
            own = re.fullmatch(rf"{project['name']}\[(.*)\]", requirement)
            found += requirements(project, tuple(own[1].split(","))) if own else [requirement]
    return list(dict.fromkeys(found))
