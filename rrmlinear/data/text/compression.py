"""gzip, bzip2, xz and zstd streams by the standard library, or a package for zstd."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
MAGIC_LENGTH = max(map(len, MAGIC))
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
ZSTD_BLOCK = 1 << 17


def kind_of(head: bytes) -> str | None:
    """The compression of a stream by its first bytes; None: plain."""
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


class Decompressed(io.RawIOBase):
    """Plain text out of a compressed stream; damage becomes one ValueError."""

    def __init__(self, name: str, kind: str, file: Any):
        self.name, self.kind = name, kind
        self.plain, self.damage = open_compressed(name, kind, file, "rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return self.plain.readinto(buffer)
        except self.damage as error:
            if getattr(error, "errno", None) is not None:
                raise  # the file, not what is in it
            raise ValueError(f"{self.name} holds damaged {self.kind} data: {error}") from None


def open_compressed(
    name: str, kind: str, file: Any, mode: Any
) -> tuple[Any, tuple[type[Exception], ...]]:
    """(binary file, the exceptions by which it reports damage)."""
    if kind == "gzip":
        import gzip
        import zlib

        stream = gzip.GzipFile(filename="", mode=mode, fileobj=file, mtime=0)
        return stream, (EOFError, zlib.error, gzip.BadGzipFile)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(file, mode), (EOFError, OSError)
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(file, mode), (EOFError, lzma.LZMAError)
    for module_name in ("compression.zstd", "backports.zstd"):
        try:
            zstd = import_module(module_name)
        except ImportError:
            continue
        return zstd.ZstdFile(file, mode), (EOFError, zstd.ZstdError)
    try:
        zstd = import_module("zstandard")
    except ImportError:
        raise ValueError(
            f"{name} is compressed by zstd, which Python handles from 3.14 on; before that "
            "the package backports.zstd or zstandard must be installed"
        ) from None
    if mode == "rb":
        return _ZstandardFile(file, zstd), (EOFError, zstd.ZstdError)
    return zstd.ZstdCompressor().stream_writer(file, closefd=False), (EOFError, zstd.ZstdError)


class _ZstandardFile(io.RawIOBase):
    """All frames of a stream by the package zstandard, whose own reader takes a cut for an end."""

    def __init__(self, file: Any, zstd: Any):
        self.file, self.new_frame = file, zstd.ZstdDecompressor().decompressobj
        self.frame: Any = None
        self.rest = self.plain = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.plain:
            data = self.rest or self.file.read(ZSTD_BLOCK)
            if not data:
                if self.frame is not None:
                    raise EOFError("it ends within a frame")
                return 0
            self.frame = self.frame or self.new_frame()
            self.plain, self.rest = self.frame.decompress(data), b""
            if self.frame.eof:
                self.rest, self.frame = self.frame.unused_data, None
        count = min(len(buffer), len(self.plain))
        buffer[:count], self.plain = self.plain[:count], self.plain[count:]
        return count
