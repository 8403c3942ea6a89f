"""Linear algebra libraries on one thread while a solver runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_INSIDE = threading.local()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep linear algebra libraries to one thread in the block.

    Their threads would take cores that the caller did not offer, and wait for each other at vectors
    of this size. To find the libraries takes some milliseconds, so a block within another does
    nothing.
    """
    if getattr(_INSIDE, "block", False):
        yield
        return
    from threadpoolctl import threadpool_limits

    _INSIDE.block = True
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        _INSIDE.block = False
