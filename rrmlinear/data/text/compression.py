"""gzip, bzip2, xz and zstd streams by the standard library, or a package for zstd."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
MAGIC_LENGTH = max(map(len, MAGIC))
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
#: Kinds whose members may have zero bytes behind them.
PADDED = ("gzip", "xz")
COMPRESSED_BLOCK = 1 << 16


def kind_of(head: bytes) -> str | None:
    """The compression of a stream by its first bytes; None: plain."""
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


class Decompressed(io.RawIOBase):
    """Plain text out of a compressed stream of members, one behind the other.

    Damage in any member, and bytes behind one that begin no other, become one ValueError. The
    standard library's BZ2File and LZMAFile take both for the end of the file.
    """

    def __init__(self, name: str, kind: str, file: Any):
        self.name, self.kind, self.file = name, kind, file
        self.new_member, self.damage = _decompressor(name, kind)
        self.member: Any = None
        self.rest = b""  # read from the file, and for the next member
        self.read_bytes = self.begin = 0  # from the file in all, and before this member

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        plain = b""
        while not plain and (self.member is not None or self._begin_member()):
            try:
                plain = self._decompress(len(buffer))
            except self.damage as error:
                if getattr(error, "errno", None) is not None:
                    raise  # the file, not what is in it
                where = f" in the member at byte {self.begin}" if self.begin else ""
                raise ValueError(
                    f"{self.name} holds damaged {self.kind} data{where}: {error}"
                ) from None
        buffer[: len(plain)] = plain
        return len(plain)

    def _begin_member(self) -> bool:
        """Begin the next member; False at the end of the file."""
        while not self.rest:
            self.rest = self._read()
            if not self.rest:
                return False
            if self.kind in PADDED:
                self.rest = self.rest.lstrip(b"\0")
        self.begin = self.read_bytes - len(self.rest)
        self.member = self.new_member()
        return True

    def _decompress(self, size: int) -> bytes:
        """Some of the member's plain text, at most ``size`` bytes, or none yet."""
        data, self.rest = self.rest, b""
        if not data and self.member.needs_input:
            data = self._read()
            if not data:
                raise EOFError("it ends before the mark of its end")
        plain = self.member.decompress(data, size)
        if self.member.eof:
            self.rest, self.member = self.member.unused_data, None
            if self.kind in PADDED:
                self.rest = self.rest.lstrip(b"\0")
        return plain

    def _read(self) -> bytes:
        data = self.file.read(COMPRESSED_BLOCK)
        self.read_bytes += len(data)
        return data


class _GzipMember:
    """zlib's decompressor with the interface of those of bz2 and lzma."""

    def __init__(self, zlib: Any):
        self.stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self.needs_input = True

    eof = property(lambda self: self.stream.eof)
    unused_data = property(lambda self: self.stream.unused_data)

    def decompress(self, data: bytes, size: int) -> bytes:
        plain = self.stream.decompress(self.stream.unconsumed_tail + data, size)
        # a full output may have more behind it within the decompressor
        self.needs_input = len(plain) < size and not self.stream.unconsumed_tail
        return plain


class _ZstandardFrame:
    """A frame of the package zstandard; the size of its output has no bound."""

    def __init__(self, zstd: Any):
        self.stream = zstd.ZstdDecompressor().decompressobj()
        self.plain = b""

    needs_input = property(lambda self: not self.plain)
    eof = property(lambda self: self.stream.eof and not self.plain)
    unused_data = property(lambda self: self.stream.unused_data)

    def decompress(self, data: bytes, size: int) -> bytes:
        if data:
            self.plain += self.stream.decompress(data)
        plain, self.plain = self.plain[:size], self.plain[size:]
        return plain


def _decompressor(name: str, kind: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """(the maker of a member's decompressor, the exceptions by which it reports damage)."""
    if kind == "gzip":
        import zlib

        return lambda: _GzipMember(zlib), (EOFError, zlib.error)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (EOFError, OSError)
    if kind == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), (EOFError, lzma.LZMAError)
    zstd = _zstd_module(name)
    if zstd.__name__ == "zstandard":
        return lambda: _ZstandardFrame(zstd), (EOFError, zstd.ZstdError)
    return zstd.ZstdDecompressor, (EOFError, zstd.ZstdError)


def open_to_compress(name: str, kind: str, file: Any) -> Any:
    """A binary file whose bytes go compressed to ``file``."""
    if kind == "gzip":
        import gzip

        return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(file, "wb")
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(file, "wb")
    zstd = _zstd_module(name)
    if zstd.__name__ == "zstandard":
        return zstd.ZstdCompressor().stream_writer(file, closefd=False)
    return zstd.ZstdFile(file, "wb")


def _zstd_module(name: str) -> Any:
    for module_name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return import_module(module_name)
        except ImportError:
            continue
    raise ValueError(
        f"{name} is compressed by zstd, which Python handles from 3.14 on; before that "
        "the package backports.zstd or zstandard must be installed"
    )
