"""Linear algebra libraries on one thread while solvers run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOCK = threading.Lock()


class _Blocks:
    """How many blocks run now, in all threads, and the limit that the first one set.

    ``libraries`` are those found when ``modules`` were imported.
    """

    running = modules = 0
    limit: Any = None
    libraries: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep linear algebra libraries to one thread in the block.

    Their threads would take cores that the caller did not offer, and wait for each other at vectors
    of this size. The limit is the process's, from the first block that begins to the last that
    ends. To find the libraries takes some milliseconds, as long as a small fit, and is done again
    only after other modules have been imported.
    """
    from threadpoolctl import ThreadpoolController

    with _LOCK:
        if _Blocks.running == 0:
            if _Blocks.modules != len(sys.modules):
                _Blocks.libraries, _Blocks.modules = ThreadpoolController(), len(sys.modules)
            _Blocks.limit = _Blocks.libraries.limit(limits=1, user_api="blas")
        _Blocks.running += 1
    try:
        yield
    finally:
        with _LOCK:
            _Blocks.running -= 1
            if _Blocks.running == 0:
                _Blocks.limit.restore_original_limits()
