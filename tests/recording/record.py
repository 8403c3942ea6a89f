"""Record what fits find: python tests/recording/record.py [NAME …].

All cases of `cases`; or those named again and those without a record, while the others stay.
"""

import contextlib
import io
import re
import runpy
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import threadpoolctl
from cases import CASES
from numpy._core._multiarray_umath import __cpu_features__
from problems import DATASETS, data, problem

import rrmlinear

RECORDED = Path(__file__).resolve().parent / "recorded.npz"
#: The flags of processors that choose how sums are vectorized.
FLAGS = ("AVX2", "FMA3", "AVX512F", "AVX512_SKX", "NEON", "SVE")


@dataclass(frozen=True)
class Outcome:
    """What a fit found: its weights in one row, its certificate, passes and the status's name."""

    weights: np.ndarray
    primal: float
    dual: float
    gap: float
    passes: int
    status: str


def machine():
    """What rounding depends on: NumPy, the processor's vectors, and how BLAS uses them."""
    flags = [name for name in FLAGS if __cpu_features__.get(name)]
    libraries = threadpoolctl.threadpool_info()
    blas = sorted(
        {f"{each.get('architecture')}" for each in libraries if each["user_api"] == "blas"}
    )
    return f"numpy {np.__version__}, {' '.join(flags) or 'no flags'}, BLAS {' '.join(blas)}"


def run(case):
    """The Outcome of a case."""
    doors = {"fit": _fit, "train": _train, "path": _path}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # runs of a few passes are not solved
        return doors.get(case.door, _estimator)(case)


def _outcome(weights, row, passes, status):
    flat = np.concatenate([np.ravel(part).astype(np.float64) for part in weights])
    return Outcome(flat, row.primal, row.dual, row.gap, passes, status.name)


def _fit(case):
    given = problem(case.problem, case.bias)
    start = None
    if case.start:
        start = rrmlinear.fit(given, rrmlinear.Parameter(**case.start))
    model = rrmlinear.fit(given, rrmlinear.Parameter(**case.choices), start=start)
    result = model.result
    return _outcome([model.weights], result, result.passes, result.status)


def _train(case):
    """The numbers that cross validation prints, as weights."""
    file = str(DATASETS / f"{case.problem}.libsvm")
    arguments, said = sys.argv, io.StringIO()
    sys.argv = ["train", *case.choices.split(), file]
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_module("rrmlinear.train", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"train ended with {end.code}: {said.getvalue()}") from None
    finally:
        sys.argv = arguments
    numbers = [float(found) for found in re.findall(r"= (\S+?)%?$", said.getvalue(), re.M)]
    return Outcome(np.array(numbers), 0.0, 0.0, 0.0, 0, "SOLVED")


def _path(case):
    given = data(case.problem)
    path = rrmlinear.path(given.X, given.y, sample_weight=given.sample_weight, **case.choices)
    weights = np.concatenate([np.ravel(part) for part in (path.coefs, path.intercepts)])
    primal, gap = float(path.primals.sum()), float(path.gaps.sum())
    statuses = " ".join(status.name for status in path.statuses)
    return Outcome(weights, primal, primal - gap, gap, int(path.passes.sum()), statuses)


def _estimator(case):
    given = data(case.problem)
    model = getattr(rrmlinear, case.door)(**case.choices)
    if case.door == "MatrixCompletion":
        model.fit(given.X[:, 0], given.X[:, 1], given.y)
        weights = [(model.left_ * model.singular_values_) @ model.right_.T]
    else:
        more = {} if given.tasks is None else {"tasks": given.tasks}
        model.fit(given.X, given.y, sample_weight=given.sample_weight, **more)
        names = ("dual_coef_" if case.door.startswith("Kernel") else "coef_", "intercept_")
        weights = [getattr(model, name) for name in names]
    return _outcome(weights, model.trace_[-1], model.n_iter_, model.status_)


def save(outcomes, path):
    """Write outcomes by name to one compact file."""
    found = list(outcomes.values())
    np.savez_compressed(
        path,
        machine=np.array(machine()),
        names=np.array(list(outcomes)),
        ends=np.cumsum([len(each.weights) for each in found]),
        weights=np.concatenate([each.weights for each in found]),
        objectives=np.array([(each.primal, each.dual, each.gap) for each in found]),
        passes=np.array([each.passes for each in found]),
        statuses=np.array([each.status for each in found]),
    )


def load(path=RECORDED):
    """The machine that recorded, and the outcomes by name."""
    with np.load(path) as file:
        parts = {name: file[name] for name in file.files}
    weights = np.split(parts["weights"], parts["ends"][:-1])
    outcomes = {
        str(name): Outcome(
            weights[at],
            *(float(value) for value in parts["objectives"][at]),
            int(parts["passes"][at]),
            str(parts["statuses"][at]),
        )
        for at, name in enumerate(parts["names"])
    }
    return str(parts["machine"]), outcomes


def main(arguments):
    if unknown := sorted(set(arguments) - set(CASES)):
        raise SystemExit(f"no case is named {unknown[0]!r}")
    kept = load()[1] if arguments else {}
    again = [name for name in CASES if name in arguments or name not in kept]
    outcomes = {name: run(CASES[name]) if name in again else kept[name] for name in CASES}
    save(outcomes, RECORDED)
    print(f"{len(again)} of {len(outcomes)} cases, {RECORDED.stat().st_size} bytes: {machine()}")


if __name__ == "__main__":
    main(sys.argv[1:])
