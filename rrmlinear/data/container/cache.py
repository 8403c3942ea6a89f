"""Text kept beside itself as a container, which is used while the text stays the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from xxhash import xxh64

from rrmlinear.data.container.conversion import convert
from rrmlinear.data.container.layout import ContainerError
from rrmlinear.data.container.opening import read_header
from rrmlinear.data.container.sources import LabelledExamples, TextExamples

T = TypeVar("T")
#: A text changed so shortly before its cache was made may have changed again at the same time.
SURE_AFTER = 2 * 10**9  # nanoseconds
SUMMED_AT_ONCE = 1 << 20


def cache_of(path: Any) -> str:
    """Where the cache of a text is."""
    return f"{os.fsdecode(path)}.cache.rrm"


def is_fresh(path: Any) -> bool:
    """Whether there is a cache of this text as it is now.

    The size must be the same, and either the time of the last change or the checksum of all bytes.
    """
    cache = cache_of(path)
    try:
        source = read_header(cache).source
        text, made = os.stat(path), os.stat(cache)
    except (OSError, ContainerError):
        return False
    if source is None or text.st_size != source.size:
        return False
    if text.st_mtime_ns == source.time and made.st_mtime_ns > source.time + SURE_AFTER:
        return True
    return _checksum_of(path) == source.checksum


def _checksum_of(path: Any) -> int:
    total, buffer = xxh64(), bytearray(SUMMED_AT_ONCE)
    with open(path, "rb", buffering=0) as file, memoryview(buffer) as view:
        while count := file.readinto(buffer):
            total.update(view[:count])
    return total.intdigest()


def with_cache(path: Any, read: Callable[[str], T], of_labels: bool = False) -> T:
    """What ``read`` makes of the cache of a text; it is made first where there is no fresh one.
    With ``of_labels`` its examples have several labels.

    The text is read strictly: one that is passed over in part leaves no cache. A cache that
    ``read`` finds damaged is made again. Raises as `read_libsvm` and `open` do.
    """
    cache = cache_of(path)
    if is_fresh(path):
        try:
            return read(cache)
        except ContainerError:
            pass
    examples = LabelledExamples if of_labels else TextExamples
    convert(examples(path, strict=True, summed=True), cache)
    return read(cache)
