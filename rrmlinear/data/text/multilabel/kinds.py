"""What a text file with many labels is told by: its first lines."""

from __future__ import annotations

import os
import re
from typing import Any

from rrmlinear.data.container.signature import is_container
from rrmlinear.data.text.byte_streams import open_to_read
from rrmlinear.data.text.multilabel.label_blocks import HEADER

LABELS, TEXTS = "labels", "texts"
#: Bytes that are looked at.
LOOKED_AT = 1 << 20
#: Bytes in which a header stands.
HEADER_BYTES = 256
PAIRS = rb"[ \t]+[0-9]+:[^\s:]+"
#: A line with several labels and at least one pair.
SEVERAL = re.compile(rb"^[^\s:,#][^\s:,]*(?:,[^\s:,]*)+" + PAIRS, re.MULTILINE)
#: A line of two or three columns, the last of which is more than pairs and comments.
COLUMNS = re.compile(rb"(?:[^\t\n]*\t){1,2}(?!(?:[^\s:]+:\S+[ \t\r]*)*(?:#|\r?\n))[^\t\n]+\n")


def text_kind(path: Any) -> str | None:
    """LABELS for LIBSVM text with several labels in some line, or with a header; TEXTS for
    tab-separated lines of labels and text; None for anything else, and for what is no regular file.

    The first megabyte tells. Raises OSError as `open` does, ValueError for damaged compressed data.
    """
    if not isinstance(path, (str, bytes, os.PathLike)) or not os.path.isfile(path):
        return None
    with open_to_read(path) as (stream, _):
        head = b""
        while len(head) < LOOKED_AT and (more := stream.read(LOOKED_AT - len(head))):
            head += more
    if b"\0" in head:
        return None
    if not head.endswith(b"\n"):
        head = head[: head.rfind(b"\n") + 1] if len(head) == LOOKED_AT else head + b"\n"
    if HEADER.match(head) or SEVERAL.search(head):
        return LABELS
    return TEXTS if COLUMNS.match(head) else None


def has_sets(path: Any) -> bool:
    """Whether a file is a container with several labels an example."""
    if not is_container(path):
        return False
    from rrmlinear.data.container.opening import read_header

    try:
        return read_header(path).section("sets") is not None
    except (OSError, ValueError):
        return False  # the reader says what is wrong


def has_header(path: Any) -> bool:
    """Whether a file begins with the header of the extreme classification repository."""
    if not os.path.isfile(path):
        return False
    try:
        with open_to_read(path) as (stream, _):
            return HEADER.match(stream.read(HEADER_BYTES)) is not None
    except (OSError, ValueError):
        return False  # the reader says what is wrong


def has_several_labels(path: Any) -> bool:
    """Whether some line in the beginning of a text file has several labels."""
    try:
        return text_kind(path) == LABELS
    except (OSError, ValueError):
        return False
