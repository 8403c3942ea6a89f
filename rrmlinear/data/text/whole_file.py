"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import platform
import re
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

try:
    import fcntl
except ImportError:  # Windows, which removes no file that is open
    fcntl = None  # type: ignore[assignment]

#: Standard output by a name, as shells know it.
STDOUT = "/dev/stdout"
DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self|\d+))/fd/(\d+)")
#: Links from a name to a descriptor that are followed.
MOST_LINKS = 40


@contextmanager
def whole_file(path: str | bytes | os.PathLike[Any]) -> Iterator[Any]:
    """A binary file, written under a temporary name in its folder and renamed at the end.

    After a failure, Ctrl-C included, the old file is unchanged. What `is_stream` finds is written
    directly: a descriptor of this process from where it stands. Raises OSError as `open` does, with
    this path.
    """
    if is_stream(path):
        descriptor = descriptor_of(path)
        if sys.stdout is not None:
            sys.stdout.flush()  # what was said before stands before
        with open(path if descriptor is None else os.dup(descriptor), "wb") as file:
            yield file
        return
    path = os.path.realpath(os.fsdecode(path))
    _remove_abandoned(path)
    target = _part_of(path)
    try:
        with _create(target, path) as file:
            if os.path.exists(path):
                os.chmod(target, os.stat(path).st_mode & 0o777)
            yield file
        os.replace(target, path)
    except BaseException:
        with suppress(OSError):  # what went wrong before is the error to tell
            os.remove(target)
        raise


def descriptor_of(path: str | bytes | os.PathLike[Any]) -> int | None:
    """The open file of this process that a path names, as /dev/stdout and /dev/fd/63 do.

    What it leads to need not be a path: a pipe or a socket has none.
    """
    name = os.path.abspath(os.fsdecode(path))
    for _ in range(MOST_LINKS):
        match = DESCRIPTOR.fullmatch(name)
        if match:
            own = name.split("/")[2] in ("fd", "self", "thread-self", str(os.getpid()))
            return int(match[1]) if own else None
        if not os.path.islink(name):
            return None
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


def is_stream(path: str | bytes | os.PathLike[Any]) -> bool:
    """Whether a path names an open file of this process, a pipe, a socket or a device."""
    if descriptor_of(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_standard_output(path: str) -> bool:
    """Whether a path names an open file of this process that is its standard output too."""
    descriptor = descriptor_of(path)
    if descriptor is None:
        return False
    try:
        return os.path.samestat(os.fstat(descriptor), os.fstat(1))
    except OSError:
        return False


def _part_of(path: str) -> str:
    """The temporary name, which tells the machine, the process and the thread that write."""
    return f"{path}.{_ours()}.{os.getpid()}.{threading.get_ident()}.part"


def _ours() -> str:
    return f"rrmlinear-{platform.node().partition('.')[0]}"


def _remove_abandoned(path: str) -> None:
    """Remove what writers of this machine that were killed have left in the folder of this file.

    A writer locks its file: the system lets go of that when the process ends, however it ends,
    where its number may be that of another process by now.
    """
    if fcntl is None:
        return
    folder = os.path.dirname(path)
    part = re.compile(rf".*\.{re.escape(_ours())}\.\d+\.\d+\.part")
    with suppress(OSError):
        for entry in filter(part.fullmatch, os.listdir(folder)):
            abandoned = os.path.join(folder, entry)
            with suppress(OSError), open(abandoned, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.remove(abandoned)


def _create(target: str, path: str) -> Any:
    """The file of this temporary name, locked where files can be."""
    try:
        while True:
            file = open(target, "wb")  # noqa: SIM115
            if fcntl is None:
                return file
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(target), os.fstat(file.fileno())):
                    return file
            file.close()  # it was taken for abandoned before it was locked
    except OSError as error:
        error.filename = path  # the name the caller knows
        raise


def check_writable(path: str | bytes | os.PathLike[Any]) -> None:
    """Raise the OSError of writing this file, as far as it is known beforehand."""
    descriptor = descriptor_of(path)
    if descriptor is not None:
        import fcntl

        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return
    path = os.path.realpath(os.fsdecode(path))
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    if not os.path.exists(path) or os.path.isfile(path):
        target = _part_of(path)
        with _create(target, path):
            os.remove(target)
