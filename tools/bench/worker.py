"""A process that holds one solver, its data and one problem, and trains when told to.

Runs in the Python that has the solver, with NumPy and SciPy; it imports this package only where the
solver is ours. Lines of JSON come in and go out: first the solver, the files of the data and the
problem; then for each training {"effort": E, "weights": FILE}, answered by the CPU seconds of the
training alone. The solver's own output goes to standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings
from types import SimpleNamespace

import numpy as np
from scipy.sparse import csr_matrix, load_npz

WARM_ROWS = 200  # about so many rows of a first training, which loads and compiles late parts


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")

    def say(**what):
        print(json.dumps(what), file=answers, flush=True)

    request = json.loads(sys.stdin.readline())
    task = SimpleNamespace(**request["task"])
    data = request["data"]
    X = csr_matrix(load_npz(data)) if data.endswith(".npz") else np.load(data)
    y = np.load(request["labels"])
    try:
        make = find(request["solver"])
        few = slice(None, None, max(1, len(y) // WARM_ROWS))
        make(X[few], y[few], task)(0)
        train = make(X, y, task)
    except Exception as error:
        say(unfit=" ".join(f"{type(error).__name__}: {error}".split()))
        return
    say(unfit=None)
    for line in sys.stdin:
        request = json.loads(line)
        begin = time.process_time()
        try:
            w = train(request["effort"])
        except Exception as error:
            say(failed=" ".join(f"{type(error).__name__}: {error}".split()))
            continue
        cpu = time.process_time() - begin
        np.save(request["weights"], np.asarray(w, dtype=np.float64).ravel())
        say(cpu=cpu)


def find(name):
    """The maker of a solver; ours is imported only for our names."""
    modules = ("ours",) if name.startswith("rrmlinear") else ("peers", "nonsmooth_peers")
    solvers = {}
    for module in modules:
        solvers |= importlib.import_module(module).SOLVERS
    return solvers[name]


if __name__ == "__main__":
    main()
