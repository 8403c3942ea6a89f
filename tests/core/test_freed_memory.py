"""Freed memory that the process keeps: arrays of the next round bring no page faults."""

import os
import platform
import subprocess
import sys

import pytest

# Eight arrays at a time, freed after each round; the page faults of 20 rounds before and after.
ROUNDS = """
import resource
import numpy as np
from rrmlinear.core.freed_memory import keep_freed

def faults():
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        some = [np.ones(30_000) for _ in range(8)]
        del some
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - begin

before = faults()
keep_freed(8 * 8 * 30_000)
faults()
print(before, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the rule is glibc's")
def test_arrays_of_later_rounds_bring_no_page_faults():
    # Dask's workers set glibc's own variables, and with these the mark does not move
    own = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", ROUNDS], check=True, capture_output=True, text=True, env=own
    )
    before, after = (int(word) for word in done.stdout.split())
    assert before > 1000
    assert after < before / 10
