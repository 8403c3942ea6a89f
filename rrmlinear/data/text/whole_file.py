"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import platform
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def whole_file(path: str | bytes | os.PathLike[Any]) -> Iterator[Any]:
    """A binary file, written under a temporary name in its folder and renamed at the end.

    After a failure, Ctrl-C included, the old file is unchanged. A path that is no regular file (a
    pipe, a device) is written directly. Raises OSError as `open` does, with this path.
    """
    path = os.path.realpath(os.fsdecode(path))
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
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


def _part_of(path: str) -> str:
    """The temporary name, which tells the machine, the process and the thread that write."""
    return f"{path}.{_machine()}.{os.getpid()}.{threading.get_ident()}.part"


def _machine() -> str:
    return platform.node().partition(".")[0]


def _remove_abandoned(path: str) -> None:
    """Remove what processes of this machine that were killed have left of this file."""
    if os.name != "posix":
        return  # os.kill does not ask there, it kills
    folder, name = os.path.split(path)
    part = re.compile(re.escape(f"{name}.{_machine()}.") + r"(\d+)\.\d+\.part")
    with suppress(OSError):
        for entry in os.listdir(folder):
            if (match := part.fullmatch(entry)) and not _lives(int(match[1])):
                os.remove(os.path.join(folder, entry))


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def _create(target: str, path: str) -> Any:
    try:
        return open(target, "wb")
    except OSError as error:
        error.filename = path  # the name the caller knows
        raise


def check_writable(path: str | bytes | os.PathLike[Any]) -> None:
    """Raise the OSError of writing this file, as far as it is known beforehand."""
    path = os.path.realpath(os.fsdecode(path))
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    if not os.path.exists(path) or os.path.isfile(path):
        target = _part_of(path)
        with _create(target, path):
            os.remove(target)
