"""The clock of a run counts no imports."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys, time
import numpy as np
from rrmlinear import Parameter, Problem, fit

class Slow:
    found = []

    def find_spec(self, name, path=None, target=None):
        if name.startswith("rrmlinear.solvers"):
            self.found.append(name)
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass

X = np.random.default_rng(0).normal(size=(60, 5))
problem = Problem.from_arrays(X, np.arange(60) % 3)
import rrmlinear.training.fit
sys.meta_path.insert(0, Slow())
result = fit(problem, Parameter({0})).result
print(len(Slow.found), result.seconds, result.cpu_seconds)
"""


@pytest.mark.parametrize("solver", ["5", "'newton', loss='softmax'"])
def test_imports_are_not_in_the_seconds_of_a_fit(solver):
    script = SCRIPT.replace("{0}", solver)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    found, seconds, cpu_seconds = map(float, ended.stdout.split())
    assert found > 0
    # the modules take at least 0.05 s each
    assert cpu_seconds < 0.05 + 0.01 * found
    assert seconds < 0.05 * found
