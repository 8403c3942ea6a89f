"""Fixtures of many folders: data sets, small problems, and a certificate computed in NumPy."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import rrmlinear
from rrmlinear.training import streaming
from rrmlinear.training.fit import NotSolvedWarning

TOP = Path(__file__).resolve().parents[1]
#: The package's sources: those of the repository, or the copies that a wheel installs.
PACKAGE = Path(rrmlinear.__file__).parent

# Background jobs of a shell ignore Ctrl-C, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Laws, not speed: a machine that is busy generates examples slowly.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")


@pytest.fixture(scope="session")
def shared_data():
    """The path of a LIBSVM file by its name, from RRMLINEAR_DATA or ../shared/data."""
    folder = Path(os.environ.get("RRMLINEAR_DATA", TOP.parent / "shared" / "data"))

    def find(name):
        for path in (folder / name, folder / f"{name}.xz"):
            if path.is_file():
                return path
        return pytest.skip(f"{name} is not in {folder}; set RRMLINEAR_DATA to where it is")

    return find


@pytest.fixture(scope="session")
def data_set(shared_data):
    """A Problem by the name of its file, read once."""
    return cache(lambda name: rrmlinear.read_libsvm(shared_data(name)))


@pytest.fixture(scope="session")
def digits():
    """The training half of the digits in datasets/: 10 classes, 64 features."""
    return rrmlinear.read_libsvm(TOP / "datasets" / "digits.libsvm")


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of a few rows where containers are streamed, so that small ones have many."""
    monkeypatch.setattr(streaming, "MIN_BLOCK", 1 << 11)
    for name in ("EXAMPLE_BYTES", "SCORE_BYTES", "WEIGHT_BYTES"):
        monkeypatch.setattr(streaming, name, 0)


@pytest.fixture(scope="session")
def tool():
    """Import a script of tools/ by its name, with all its folders on the path."""
    folders = sorted({str(path.parent) for path in (TOP / "tools").rglob("*.py")})
    sys.path[:0] = folders
    yield importlib.import_module
    for folder in folders:
        sys.path.remove(folder)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Build a Cython file of the tests against the package's .pxd files, as the package is built,
    with C files of its folder simd, and import it: tests call inline functions through it. CFLAGS
    are added to the compiler's.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # the same for all workers

    def build(path, *of_simd):
        fcntl = pytest.importorskip("fcntl")  # Windows has none, and its compilers take other flags
        source = TOP / "tests" / path
        target = folder / f"{source.stem}{sysconfig.get_config_var('EXT_SUFFIX')}"
        with open(folder / f"{source.stem}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                compile_extension(source, target, of_simd)
        spec = importlib.util.spec_from_file_location(source.stem, target)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return cache(build)


def compile_extension(source, target, of_simd):
    compiler = shlex.split(os.environ.get("CC", "cc"))  # CC may name a launcher: ccache gcc
    if shutil.which(compiler[0]) is None or importlib.util.find_spec("Cython") is None:
        pytest.skip(f"no C compiler or no Cython to build {source.name} with")
    code = target.with_name(f"{source.stem}.c")
    cython = [sys.executable, "-m", "cython", "-3", "-X", "boundscheck=False"]
    cython += ["-X", "wraparound=False", "-X", "cdivision=True"]
    cython += ["-I", str(PACKAGE.parent), "--shared=rrmlinear._cyutility"]
    cython += [str(source), "-o", str(code)]
    flags = ["-fPIC", "-O2", "-ftree-vectorize", "-fopenmp-simd", "-fno-math-errno"]
    flags += ["-fno-trapping-math", "-ffp-contract=fast", "-w"]
    flags += os.environ.get("CFLAGS", "").split()
    simd = PACKAGE / "simd"
    flags += [f"-I{sysconfig.get_path('include')}", f"-I{simd}"]
    # each source by itself, named from the target's folder: a cache of compilations may have it
    objects = {code.name: f"{source.stem}.o"}
    objects |= {str(simd / name): f"{source.stem}-{Path(name).stem}.o" for name in of_simd}
    compiled = [[*compiler, *flags, "-c", each, "-o", its] for each, its in objects.items()]
    part = target.with_suffix(".part")
    linked = [*compiler, "-shared", *flags, *objects.values(), "-o", str(part)]
    for command in (cython, *compiled, linked):
        done = subprocess.run(command, cwd=target.parent, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    part.replace(target)


@dataclass
class Small:
    """Arrays of a small problem; every class occurs where n ≥ k."""

    X: np.ndarray
    y: np.ndarray

    def problem(self, sample_weight=None, bias=-1.0):
        return rrmlinear.Problem.from_arrays(self.X, self.y, sample_weight, bias=bias)


@pytest.fixture(scope="session")
def small_problem():
    """A maker of problems with k overlapping clouds of points."""

    def make(n=40, d=6, k=4, seed=0, density=1.0, noise=1.0):
        rng = np.random.default_rng(seed)
        y = np.concatenate([np.arange(min(k, n)), rng.integers(0, k, max(0, n - k))])
        X = rng.normal(size=(k, d))[y] + noise * rng.normal(size=(n, d))
        X[rng.random((n, d)) >= density] = 0.0
        return Small(X, y.astype(np.float64))

    return make


@pytest.fixture(scope="session")
def fit():
    """Train with choices of Parameter by name; an unfinished run is no news here."""

    def train(problem, on_pass=None, start=None, **choices):
        with warnings.catch_warnings(action="ignore", category=NotSolvedWarning):
            plain = {} if {"loss", "regularizer"} & set(choices) else {"solver": 30}
            parameter = rrmlinear.Parameter(**(plain | choices))
            return rrmlinear.fit(problem, parameter, on_pass, start)

    return train


@dataclass(frozen=True)
class Certificate:
    """The Weston–Watkins objectives of a model, from its weights and duals alone."""

    primal: float
    dual: float
    weights_of_duals: np.ndarray
    costs: np.ndarray
    duals: np.ndarray
    label: np.ndarray

    @property
    def gap(self):
        return self.primal - self.dual

    @property
    def infeasibility(self):
        """How far the duals leave 0 ≤ β_ij ≤ C_i and β_iy = 0, relative to C_i."""
        scale = np.where(self.costs > 0, self.costs, 1.0)[:, None]
        own = self.duals[np.arange(len(self.label)), self.label]
        beyond = np.maximum(-self.duals, self.duals - self.costs[:, None]) / scale
        return max(float(beyond.max()), float(np.abs(own).max()))


@pytest.fixture(scope="session")
def certify():
    """The objectives of a model in NumPy: nothing is taken from the solver but W and β."""

    def make(problem, model):
        X = problem.to_scipy()
        if problem.bias >= 0:
            from scipy.sparse import csr_array, hstack

            column = np.full((problem.n_examples, 1), problem.bias)
            X = csr_array(hstack([X, column]))
        place = {int(name): at for at, name in enumerate(model.labels)}
        label = np.array([place[int(y)] for y in problem.labels])
        costs = model.parameter.C * np.array(
            [model.parameter.class_weights.get(int(y), 1.0) for y in problem.labels]
        )
        if problem.weights is not None:
            costs = costs * problem.weights
        k, n = len(place), problem.n_examples
        duals = model.result.duals.dense(k)
        scores = X @ model.weights
        margins = 1.0 - (scores[np.arange(n), label][:, None] - scores)
        margins[np.arange(n), label] = 0.0
        primal = (model.weights**2).sum() / 2 + costs @ np.maximum(margins, 0.0).sum(axis=1)
        moves = -duals
        moves[np.arange(n), label] = duals.sum(axis=1)
        weights = X.T @ moves
        dual = duals.sum() - (weights**2).sum() / 2
        return Certificate(float(primal), float(dual), weights, costs, duals, label)

    return make
