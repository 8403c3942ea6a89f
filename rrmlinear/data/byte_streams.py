"""Bytes of a path, standard input or a file object, compressed or not, cut at line ends."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
MAGIC_LENGTH = max(map(len, MAGIC))
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
ZSTD_MODULES = ("compression.zstd", "backports.zstd", "zstandard")
COMPRESSED_BLOCK = 1 << 18


class _WithHead(io.RawIOBase):
    """A stream whose first bytes were read already, put before it again."""

    def __init__(self, head: bytes, rest: Any):
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.head:
            count = min(len(buffer), len(self.head))
            buffer[:count], self.head = self.head[:count], self.head[count:]
            return count
        data = _read(self.rest, len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _read(stream: Any, size: int) -> bytes:
    data = stream.read(size)
    if data is None:
        raise BlockingIOError(f"{name_of(stream)} has no data yet: a blocking stream is needed")
    if isinstance(data, str):
        raise TypeError(f"{name_of(stream)} is open as text; open it in binary mode ('rb')")
    return data


def _read_head(stream: Any) -> bytes:
    head = b""
    while len(head) < MAGIC_LENGTH and (more := _read(stream, MAGIC_LENGTH - len(head))):
        head += more
    return head


def name_of(path_or_file: Any) -> str:
    """How messages call it."""
    if path_or_file == "-":
        return "standard input"
    if isinstance(path_or_file, (str, bytes, os.PathLike)):
        return os.fsdecode(path_or_file)
    name = getattr(path_or_file, "name", None)
    return name if isinstance(name, str) else "the file object"


def _open_compressed(kind: str, file: Any, mode: str) -> Any:
    if kind == "gzip":
        from gzip import GzipFile

        return GzipFile(filename="", mode=mode, fileobj=file)
    if kind == "bzip2":
        from bz2 import BZ2File

        return BZ2File(file, mode)
    if kind == "xz":
        from lzma import LZMAFile

        return LZMAFile(file, mode)
    for name in ZSTD_MODULES:
        try:
            return import_module(name).open(file, mode)
        except ImportError:
            continue
    raise ValueError(
        f"{name_of(file)} is compressed by zstd, which Python reads from 3.14 on; before that "
        "the package backports.zstd or zstandard must be installed"
    )


@contextmanager
def open_to_read(path_or_file: Any) -> Iterator[tuple[Any, int | None]]:
    """(binary stream of the plain text, its length in bytes where known).

    Compression is known by the first bytes, not by the name. "-" is standard input. What is opened
    here is closed here; a file object stays open. Raises TypeError for a file open as text, and
    OSError as `open` does.
    """
    if isinstance(path_or_file, (str, bytes, os.PathLike)):
        if path_or_file == "-":
            yield _plain_text(sys.stdin.buffer), None
            return
        with open(path_or_file, "rb", buffering=0) as raw:
            status = os.fstat(raw.fileno())
            if stat.S_ISREG(status.st_mode):
                kind = _kind(_read_head(raw))
                raw.seek(0)
                if kind is None:
                    yield raw, status.st_size
                    return
            yield _plain_text(raw), None
    elif isinstance(path_or_file, io.TextIOBase):
        raise TypeError(f"{name_of(path_or_file)} is open as text; open it in binary mode ('rb')")
    elif not hasattr(path_or_file, "read"):
        raise TypeError(
            f"a path or a binary file object is needed, not {type(path_or_file).__name__}"
        )
    else:
        yield _plain_text(path_or_file), None


def _kind(head: bytes) -> str | None:
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


def _plain_text(stream: Any) -> Any:
    head = _read_head(stream)
    whole = _WithHead(head, stream)
    kind = _kind(head)
    if kind is None:
        return whole
    return _open_compressed(kind, io.BufferedReader(whole, COMPRESSED_BLOCK), "rb")


class LineBlocks:
    """A stream cut into blocks of about ``block_size`` bytes that end where a line ends."""

    def __init__(self, stream: Any, block_size: int, padding: int):
        self.stream, self.block_size, self.padding = stream, block_size, padding
        self.carried = b""
        self.consumed = 0
        self.ended = False

    def fill(self, buffer: bytearray) -> int:
        """Put the next whole lines at the buffer's begin; their bytes, 0 at the stream's end.

        The last line gets a newline if it has none. The buffer grows to hold the longest line
        and ``padding`` bytes.
        """
        filled = scanned = len(self.carried)
        target = filled + self.block_size
        self._grow(buffer, target)
        buffer[:filled] = self.carried
        while not self.ended:
            filled = self._read_to(buffer, filled, target)
            if not self.ended:
                end = buffer.rfind(b"\n", scanned, filled) + 1
                if end:
                    self.carried = bytes(memoryview(buffer)[end:filled])
                    self.consumed += end
                    return end
                scanned, target = filled, 2 * filled
                self._grow(buffer, target)
        self.carried = b""
        if filled and buffer[filled - 1] != ord("\n"):
            buffer[filled] = ord("\n")
            filled += 1
        self.consumed += filled
        return filled

    def _grow(self, buffer: bytearray, size: int) -> None:
        missing = size + self.padding + 1 - len(buffer)
        if missing > 0:
            buffer.extend(bytes(missing))

    def _read_to(self, buffer: bytearray, filled: int, target: int) -> int:
        with memoryview(buffer) as view:
            while filled < target:
                count = self.stream.readinto(view[filled:target])
                if not count:
                    self.ended = True
                    break
                filled += count
        return filled
