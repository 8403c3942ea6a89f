"""What the machine has for a process: memory, processors, threads and shared libraries."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

ROOT = "/sys/fs/cgroup"


def available_memory() -> int | None:
    """Bytes that the system and the control groups of this process leave it; None: not known.

    Pages of files that the system may drop count as left.
    """
    found = [*_of_system(), *_of_groups()]
    return max(0, min(found)) if found else None


def _of_system() -> Iterator[int]:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            yield 1024 * int(line.split()[1])


def _of_groups() -> Iterator[int]:
    for line in _lines("/proc/self/cgroup"):
        _, kinds, group = line.split(":", 2)
        if kinds == "":
            names = "memory.max", "memory.current", "inactive_file"
            folder = ROOT
        elif "memory" in kinds.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            folder = f"{ROOT}/memory"
        else:
            continue
        path = group.strip("/")
        while True:
            yield from _of_group(os.path.join(folder, path), *names)
            if not path:
                break
            path = os.path.dirname(path)


def _of_group(folder: str, limit: str, usage: str, dropped: str) -> Iterator[int]:
    most, taken = (_number(_lines(f"{folder}/{name}")) for name in (limit, usage))
    if most is not None and taken is not None:
        counts = dict(line.split() for line in _lines(f"{folder}/memory.stat"))
        yield most - taken + int(counts.get(dropped, 0))


def _number(lines: list[str]) -> int | None:
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _lines(path: str) -> list[str]:
    try:
        with open(path) as file:
            return file.read().splitlines()
    except OSError:
        return []


def return_memory() -> None:
    """Give memory that was freed back to the system: the C library keeps some of it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


# The largest mark that is set, and the smallest block that sets one: glibc takes smaller ones from
# the heap.
MOST_BYTES, LEAST_BYTES = 1 << 23, 1 << 18


def keep_freed(n_bytes: int) -> None:
    """Let glibc keep freed memory up to twice these bytes, at least and at most twice the limits.

    It returns what exceeds twice the largest block freed so far, and then each new page of the next
    array is a fault, which takes as long as some loops over it. A block that nobody uses sets this
    mark. Other C libraries keep memory by their own rules, and so does glibc where its environment
    variables (MALLOC_TRIM_THRESHOLD_) set the mark.
    """
    np.empty(min(max(n_bytes, LEAST_BYTES), MOST_BYTES), dtype=np.uint8)


def thread_pool(threads: int, name: str = "") -> Any:
    """A ThreadPoolExecutor, whose module takes 10 ms and 1 MB: most runs need none."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, name)


def usable_processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
