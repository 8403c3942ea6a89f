"""Linear algebra libraries on one thread while solvers run."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

_PACKAGE = __name__.partition(".")[0] + "."
_LOCK = threading.RLock()  # a signal may fork in a thread that holds it
#: Variables that set the threads of a library of linear algebra where it is loaded.
VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS")


class _Limit:
    """How many blocks run, and the number of threads of each library before the first of them."""

    def __init__(self) -> None:
        self.running = 0
        self.before: list[tuple[Any, int]] = []

    def begin(self, libraries: tuple[Any, ...]) -> None:
        self.running += 1
        if self.running == 1:
            self.before = [(each, each.num_threads) for each in libraries]
            for library, number in self.before:
                if number != 1:
                    _set(library, 1)

    def extend(self, libraries: tuple[Any, ...]) -> None:
        """Libraries that were loaded in a block."""
        known = [each.filepath for each, _ in self.before]
        for library in libraries if self.running else ():
            if library.filepath not in known:
                self.before.append((library, library.num_threads))
                _set(library, 1)

    def end(self, blocks: int = 1) -> None:
        self.running -= blocks
        if blocks and self.running == 0:
            for library, number in self.before:
                if number != 1:
                    _set(library, number)


class _OfThread(threading.local):
    """The limit of libraries that have a number for each thread of the caller."""

    def __init__(self) -> None:
        self.limit = _Limit()


class _Found:
    """The libraries found when ``modules`` were imported, ``others`` of them of other packages:
    shared by all threads, and the others.
    """

    modules = others = 0
    always_one = False  # thread, in the whole process
    shared: tuple[Any, ...] = ()
    of_threads: tuple[Any, ...] = ()


_SHARED, _OF_THREAD = _Limit(), _OfThread()


def begin_with_one_thread() -> None:
    """Load all linear algebra of this process with one thread. Does nothing if the environment sets
    another number, or if NumPy is loaded already. To find the libraries later takes 10 ms and 3 MB.
    """
    if "numpy" not in sys.modules:
        numbers = {os.environ.setdefault(name, "1") for name in VARIABLES}
        _Found.always_one = numbers == {"1"}


def find_libraries() -> None:
    """Find the libraries of the modules imported so far, ahead of the first `one_blas_thread`."""
    with _LOCK:
        if _have_come():
            _find()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep linear algebra libraries to one thread in the block.

    Their threads would take cores that the caller did not offer, and wait for each other at vectors
    of this size. Where the limit is the process's it holds from the first block that begins to the
    last that ends, in whichever threads; libraries over OpenMP have one for each thread. To find
    the libraries takes some milliseconds, as long as a small fit, and is done again only after
    other modules have been imported.
    """
    if _Found.always_one:
        yield
        return
    own = _OF_THREAD.limit
    with _LOCK:
        if _SHARED.running == 0 and _have_come():
            _find()
        _SHARED.begin(_Found.shared)
        own.begin(_Found.of_threads)
    try:
        yield
    finally:
        with _LOCK:
            own.end()
            _SHARED.end()


def linear_algebra(module: str) -> Any:
    """A module of scipy.linalg, which only some solvers need, so they import it late.

    SciPy brings a library of its own. Where it is loaded in a block of `one_blas_thread`, it keeps
    to one thread from here on too.
    """
    found = import_module(module)
    with _LOCK:
        if _SHARED.running and _have_come():
            _find()
            _SHARED.extend(_Found.shared)
            _OF_THREAD.limit.extend(_Found.of_threads)
    return found


def _have_come() -> bool:
    """Whether modules of other packages have been imported; those of this one load no library."""
    if _Found.modules == len(sys.modules):
        return False
    _Found.modules = len(sys.modules)
    before, _Found.others = _Found.others, sum(not m.startswith(_PACKAGE) for m in [*sys.modules])
    return _Found.others != before


def _find() -> None:
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    _Found.shared = tuple(each for each in libraries if not _is_of_threads(each))
    _Found.of_threads = tuple(each for each in libraries if _is_of_threads(each))


def _after_in_child() -> None:
    """Only the thread that forked lives in the child: the blocks of others have ended."""
    _SHARED.end(_SHARED.running - _OF_THREAD.limit.running)
    _LOCK.release()


if hasattr(os, "register_at_fork"):  # a child begins with the lock free, and with whole counts
    os.register_at_fork(
        before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_after_in_child
    )


def _is_of_threads(library: Any) -> bool:
    return getattr(library, "threading_layer", None) == "openmp"


def _set(library: Any, number: int) -> None:
    # From 3.8 on threadpoolctl lets one thread alone, the first, set the number of OpenBLAS. Blocks
    # begin and end in any thread, one at a time by the lock.
    free = getattr(library, "clear_controlling_thread", None)
    if free is not None:
        free(force=True)
    library.set_num_threads(number)
    if free is not None:
        free(force=True)
