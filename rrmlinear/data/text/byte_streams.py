"""Bytes of a path, a standard stream or a file object, compressed or not."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rrmlinear.data.container.signature import MAGIC
from rrmlinear.data.text.compression import (
    COMPRESSED_BLOCK,
    MAGIC_LENGTH,
    SUFFIXES,
    Decompressed,
    kind_of,
    open_to_compress,
)
from rrmlinear.data.text.whole_file import whole_file


class _WithHead(io.RawIOBase):
    """A stream with its first bytes, already read, put back."""

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
        raise TypeError(f"{name_of(stream)} gives text; a file open in binary mode is needed")
    return data


def _read_head(stream: Any) -> bytes:
    head = b""
    while len(head) < MAGIC_LENGTH and (more := _read(stream, MAGIC_LENGTH - len(head))):
        head += more
    return head


def name_of(path_or_file: Any) -> str:
    """The name in messages."""
    if _is_standard(path_or_file):
        return "standard input"
    if isinstance(path_or_file, (str, bytes, os.PathLike)):
        return os.fsdecode(path_or_file)
    name = getattr(path_or_file, "name", None)
    return name if isinstance(name, str) else "the file object"


def _is_standard(path_or_file: Any) -> bool:
    return isinstance(path_or_file, str) and path_or_file == "-"


def _is_path(path_or_file: Any) -> bool:
    return isinstance(path_or_file, (str, bytes, os.PathLike))


def _check_file(file: Any, method: str) -> None:
    if isinstance(file, io.TextIOBase):
        raise TypeError(f"{name_of(file)} is open as text; a file open in binary mode is needed")
    if not hasattr(file, method):
        raise TypeError(f"a path or a binary file object is needed, not {type(file).__name__}")


@contextmanager
def open_to_read(path_or_file: Any) -> Iterator[tuple[Any, int | None]]:
    """(binary stream of the plain text, its length in bytes where known).

    The first bytes, not the name, tell the compression. "-" is standard input. A path is opened and
    closed here; a file object stays open. Raises TypeError for a file open as text, and
    OSError as `open` does.
    """
    name = name_of(path_or_file)
    if not _is_path(path_or_file):
        _check_file(path_or_file, "read")
        yield _plain_text(name, path_or_file), None
    elif _is_standard(path_or_file):
        yield _plain_text(name, _standard_stream("stdin")), None
    else:
        with open(path_or_file, "rb", buffering=0) as raw:
            status = os.fstat(raw.fileno())
            if stat.S_ISREG(status.st_mode):
                kind = kind_of(_read_head(raw))
                raw.seek(0)
                if kind is None:
                    yield raw, status.st_size
                    return
            yield _plain_text(name, raw), None


def all_bytes(path_or_file: Any) -> bytes:
    """All of the plain text that `open_to_read` gives."""
    with open_to_read(path_or_file) as (stream, _):
        return b"".join(iter(lambda: stream.read(1 << 20), b""))


def _standard_stream(which: str) -> Any:
    """The bytes of sys.stdin or sys.stdout; a process may have been started without it."""
    stream = getattr(sys, which)
    if stream is None or stream.closed:
        name = {"stdin": "standard input", "stdout": "standard output"}[which]
        raise OSError(errno.EBADF, f"{name} is closed")
    return stream.buffer


def _plain_text(name: str, stream: Any) -> Any:
    head = _read_head(stream)
    if head == MAGIC[:MAGIC_LENGTH]:
        raise ValueError(f"{name} is a container, which is read by its path and not from a stream")
    whole = _WithHead(head, stream)
    kind = kind_of(head)
    if kind is None:
        return whole
    return Decompressed(name, kind, io.BufferedReader(whole, COMPRESSED_BLOCK))


@contextmanager
def open_to_write(path_or_file: Any) -> Iterator[Any]:
    """A binary stream; a path's suffix .gz, .bz2, .xz or .zst chooses the compression.

    A path is written under a temporary name in its folder and takes its own name when complete; a
    failure leaves the old file. A path that is no regular file (a pipe, a device) and a file object
    are written directly. "-" is standard output.
    """
    if not _is_path(path_or_file):
        _check_file(path_or_file, "write")
        yield path_or_file
    elif _is_standard(path_or_file):
        stream = _standard_stream("stdout")
        yield stream
        stream.flush()
    else:
        kind = SUFFIXES.get(os.path.splitext(os.path.realpath(os.fsdecode(path_or_file)))[1])
        with whole_file(path_or_file) as file:
            if kind is None:
                yield file
            else:
                with open_to_compress(name_of(path_or_file), kind, file) as stream:
                    yield stream


def read_text(path_or_file: Any) -> str:
    """Text of UTF-8, plain or compressed. ValueError with file and line for other bytes."""
    data = all_bytes(path_or_file).removeprefix(BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        path = name_of(path_or_file)
        raise ValueError(f"{path}, line {line}: byte {data[error.start]} is not UTF-8") from None
