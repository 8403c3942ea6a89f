"""Freed memory that the process keeps for the next arrays."""

from __future__ import annotations

import numpy as np

# The largest mark that is set, and the smallest block that sets one: glibc takes smaller ones from
# the heap.
MOST_BYTES, LEAST_BYTES = 1 << 23, 1 << 18


def keep_freed(n_bytes: int) -> None:
    """Let glibc keep freed memory up to twice these bytes, at least and at most twice the limits.

    It returns what exceeds twice the largest block freed so far, and then each new page of the next
    array is a fault, which takes as long as some loops over it. A block that nobody uses sets this
    mark. Other C libraries keep memory by their own rules, and so does glibc where its environment
    variables (MALLOC_TRIM_THRESHOLD_) set the mark.
    """
    np.empty(min(max(n_bytes, LEAST_BYTES), MOST_BYTES), dtype=np.uint8)
