"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
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
    target = f"{path}.{os.getpid()}.{threading.get_ident()}.part"
    try:
        with _create(target, path) as file:
            if os.path.exists(path):
                os.chmod(target, os.stat(path).st_mode & 0o777)
            yield file
        os.replace(target, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(target)
        raise


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
        target = f"{path}.{os.getpid()}.{threading.get_ident()}.part"
        with _create(target, path):
            os.remove(target)
