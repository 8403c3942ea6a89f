"""Rows cut to some features: the same numbers, and no second copy of them."""

import subprocess
import sys

import pytest

#: Growth of memory by a cut over the bytes of its result. Writing 5 sets the peak to the present.
GROWTH = """
import numpy as np
from scipy import sparse
from rrmlinear import Problem
from rrmlinear.solvers.features._feature_descent import cut_rows
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
matrix = sparse.random(100000, 300, density=0.2, format="csr", rng=np.random.default_rng(0))
rows = Problem.from_arrays(matrix, np.ones(100000)).rows
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = peak()
cut = cut_rows(rows, np.arange(290))
print((peak() - before) / (12 * cut.n_stored))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_a_cut_to_most_features_takes_little_more_memory_than_its_result():
    words = [sys.executable, "-c", GROWTH]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    assert 0.9 < float(done.stdout) < 1.15
