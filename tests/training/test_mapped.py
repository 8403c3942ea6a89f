"""Training over a mapped container keeps the data in the file."""

import subprocess
import sys

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.data.container.writing import write_container
from rrmlinear.data.rows import Rows

N, LENGTH, D = 20_000, 400, 2000

#: Prints by how much the memory that is no file's has grown at most, in bytes.
FIT = """
import sys, threading, warnings
import numpy as np
from rrmlinear import Parameter, Problem, fit

def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))

def watch():
    while not ended.wait(0.002):
        seen.append(anonymous())

warnings.simplefilter("ignore")
problem = Problem.open(sys.argv[1])
choices = eval(sys.argv[2])
fit(problem.take(np.arange(50)), Parameter(max_passes=3, **choices))  # loads the modules
ended = threading.Event()
seen = [anonymous()]
thread = threading.Thread(target=watch, daemon=True)  # an error ends the process
thread.start()
fit(problem, Parameter(max_passes=3, **choices))
ended.set()
thread.join()
print(max(seen) - seen[0])
"""


@pytest.fixture(scope="module")
def container(tmp_path_factory):
    """100 MB of rows of 400 values."""
    rng = np.random.default_rng(0)
    indices = np.sort(rng.integers(0, D // LENGTH, (N, LENGTH)) + np.arange(0, D, D // LENGTH))
    rows = Rows(
        rng.standard_normal(N * LENGTH),
        indices.astype(np.int32).reshape(-1),
        np.arange(N + 1) * LENGTH,
        D,
    )
    path = tmp_path_factory.mktemp("mapped") / "data.rrm"
    write_container(path, Problem(rows, np.where(rng.random(N) < 0.5, 1.0, -1.0)))
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(
    "choices",
    [
        {"solver": 0},
        {"solver": 30},
        {"solver": 35, "loss": "logistic"},
        {"solver": 39, "loss": "hinge"},
    ],
    ids=lambda choices: str(choices["solver"]),
)
def test_memory_beside_the_file_is_under_a_tenth_of_it(container, choices):
    words = [sys.executable, "-c", FIT, container, repr(choices)]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(ended.stdout) < container.stat().st_size / 10
