"""
Data in a file, not in memory
=============================

A container is one file that is mapped: training reads what it needs, and the system drops what
does not fit. Here it is compared with reading the same examples from text.
"""

import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import random_array

import rrmlinear

rng = np.random.default_rng(0)
X = random_array((4000, 2000), density=0.02, rng=rng, format="csr")
y = np.where(X @ rng.normal(size=2000) > 0, 1, -1)
seconds = {}
with tempfile.TemporaryDirectory() as folder:
    text, container = Path(folder, "data.libsvm"), Path(folder, "data.rrm")
    problem = rrmlinear.Problem.from_arrays(X, y)
    rrmlinear.write_libsvm(text, problem)
    rrmlinear.write_container(container, problem)
    doors = {"read text": rrmlinear.read_libsvm, "map container": rrmlinear.Problem.open}
    for name, door in doors.items():
        begin = time.perf_counter()
        mapped = door(text if name == "read text" else container)
        seconds[name] = time.perf_counter() - begin
    model = rrmlinear.fit(mapped, rrmlinear.Parameter(solver=3))
    in_memory = rrmlinear.fit(problem, rrmlinear.Parameter(solver=3))
    del mapped

figure, axes = plt.subplots(figsize=(6, 2.5), layout="constrained")
axes.barh(list(seconds), [1000 * each for each in seconds.values()])
axes.set(xlabel="milliseconds until training begins", xscale="log")
assert (model.weights == in_memory.weights).all()
