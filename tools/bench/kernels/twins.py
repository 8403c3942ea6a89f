"""CPU time of loops in twins.pyx over that of the same loops of simd/, in interleaved pairs.

    python tools/bench/kernels/twins.py [--pairs 15] [--loops plane,steps] [--sizes 100,10000]

Builds twins.pyx in a scratch folder with the package's compiler options. A ratio above 1.03 (the
mean over the sizes) keeps a loop in C.
"""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
from scipy import sparse

from rrmlinear import Problem

SOURCE = Path(__file__).with_suffix(".pyx")
TOP = SOURCE.parents[3]
# those of meson.build
FLAGS = "-O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -ffp-contract=fast -w -shared -fPIC"
SHORTEST = 0.01  # CPU seconds of one measurement


def built(folder: Path) -> ModuleType:
    """The module of twins.pyx."""
    code, target = folder / "twins.c", folder / "twins.so"
    directives = "boundscheck=False,wraparound=False,cdivision=True,initializedcheck=False"
    cython = [sys.executable, "-m", "cython", "-3", "-X", directives, "-I", str(TOP)]
    cython += ["--shared=rrmlinear._cyutility", str(SOURCE), "-o", str(code)]
    places = [f"-I{sysconfig.get_path('include')}", f"-I{TOP / 'rrmlinear' / 'simd'}"]
    for command in (cython, ["cc", *shlex.split(FLAGS), *places, str(code), "-o", str(target)]):
        subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location("twins", target)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Print a row for each loop: the ratio at each size, and their mean."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=15, help="pairs of measurements")
    parser.add_argument("--loops", default="", help="beginnings of names, with commas between")
    parser.add_argument("--sizes", default="100,10000,1000000", help="numbers in an array")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    X = sparse.random_array((500, 120), density=0.1, rng=0, format="csr")
    rows = Problem.from_arrays(X, np.ones(500)).rows
    with tempfile.TemporaryDirectory() as folder:
        twins = built(Path(folder))
        print(f"{'loop':16}" + "".join(f"{size:>10}" for size in sizes) + f"{'mean':>10}")
        inputs = [twins.Inputs(size, rows) for size in sizes]
        for which, name in enumerate(twins.NAMES):
            if not name.startswith(tuple(options.loops.split(","))):
                continue
            ratios = []
            for given in inputs:
                repeats = max(1, int(SHORTEST / max(given.seconds(which, False, 2), 1e-9)))
                given.seconds(which, True, repeats)
                pairs = [
                    (given.seconds(which, False, repeats), given.seconds(which, True, repeats))
                    for _ in range(options.pairs)
                ]
                ratios.append(statistics.median(twin / old for old, twin in pairs))
            cells = "".join(f"{ratio:10.2f}" for ratio in [*ratios, statistics.mean(ratios)])
            print(f"{name:16}{cells}", flush=True)


if __name__ == "__main__":
    main()
