"""The bytes that a container begins with: readers of text look for them too."""

from __future__ import annotations

import os
from typing import Any

MAGIC = b"\x89RRM\r\n\x1a\n"


def is_container(path: Any) -> bool:
    """Whether a path names a regular file that begins as a container does; False for any other."""
    return head_of(path) == MAGIC


def head_of(path: Any) -> bytes:
    """The first bytes of a regular file, as long as `MAGIC`; none of anything else."""
    try:
        if not os.path.isfile(path):
            return b""
        with open(os.fspath(path), "rb") as file:  # a number would be a file of the caller
            return file.read(len(MAGIC))
    except (OSError, TypeError, ValueError):
        return b""
