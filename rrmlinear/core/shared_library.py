"""Where the system keeps a shared library."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def library_path(name: str) -> str | None:
    """The file that the loader takes for this name, by loading it; None where there is none, or
    where the system does not tell.
    """
    with suppress(OSError):
        ctypes.CDLL(name)
        with open("/proc/self/maps") as maps:
            files = {line.split(maxsplit=5)[-1].strip() for line in maps if "/" in line}
        stem = name.partition(".so")[0]
        for file in sorted(files):
            if file.rpartition("/")[2].startswith(f"{stem}.so"):
                return file
    return None
