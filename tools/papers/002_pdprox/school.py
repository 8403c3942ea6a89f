"""Multi-task regression on the School data: python tools/papers/002_pdprox/school.py

Follows section 5.2 of Yang, Mahdavi, Jin and Zhu, An Efficient Primal Dual Prox Method for
Non-Smooth Optimization: examination scores of 15 362 students at 139 schools, a task each, by 27
attributes; ℓ1,∞ with the absolute and the ε-insensitive loss (ε = 0.01); three quarters of each
school for training. Reads school and school.task, plain or .xz, from where RRMLINEAR_DATA or
../shared/data has them. Attributes are divided by their largest value; intercepts of schools are
the row of weights of a column of ones, regularized like the others. Prints a line for each loss and
λ of (1/n) Σ φ + λ Σ_j max_t |W_jt|: the root mean squared error of tests (mean and standard
deviation over seeded splits), the largest proved relative gap, the rows of W that are 0, and the
passes and CPU seconds of a split.
"""

from __future__ import annotations

import argparse
import lzma
import os
import sys
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, diags_array

import rrmlinear
from rrmlinear import MultiTaskRegressor

TOP = Path(__file__).resolve().parents[3]
LOSSES = {"absolute": {}, "epsilon-insensitive": {"epsilon": 0.01}}
PENALTIES = (1e-2, 1e-3, 1e-5)
TRAINING = 0.75


def find(name: str) -> Path:
    """A file, in the folder of the environment variable or beside the repository."""
    folder = Path(os.environ.get("RRMLINEAR_DATA", TOP.parent / "shared" / "data"))
    for path in (folder / name, folder / f"{name}.xz"):
        if path.is_file():
            return path
    raise SystemExit(f"{name} is not in {folder}; set RRMLINEAR_DATA to where it is")


def read_school() -> tuple[csr_array, np.ndarray, np.ndarray]:
    """27 attributes of each student between 0 and 1, scores, and schools."""
    problem, path = rrmlinear.read_libsvm(find("school")), find("school.task")
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as stream:
        schools = np.loadtxt(stream, dtype=np.int64).ravel()
    X = csr_array(problem.to_scipy())[:, :27]  # the last column is all ones
    X = csr_array(X @ diags_array(1 / X.max(axis=0).toarray().ravel()))
    X.sort_indices()
    return X, problem.labels, schools


def training_part(schools: np.ndarray, seed: int) -> np.ndarray:
    """Whether each student is among the three quarters of its school."""
    random, chosen = np.random.default_rng(seed), np.zeros(len(schools), dtype=bool)
    for school in np.unique(schools):
        own = random.permutation(np.flatnonzero(schools == school))
        chosen[own[: round(TRAINING * len(own))]] = True
    return chosen


def main(arguments: list[str] | None = None) -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--losses", nargs="+", default=list(LOSSES), choices=list(LOSSES))
    parser.add_argument("--penalties", nargs="+", type=float, default=PENALTIES, metavar="λ")
    parser.add_argument("--splits", type=int, default=10, help="seeds 0, 1, … (default 10)")
    parser.add_argument("--tol", type=float, default=1e-3, help="relative gap (default 1e-3)")
    chosen = parser.parse_args(arguments)
    X, y, schools = read_school()
    print("| loss | λ | RMSE | relative gap | zero rows | passes | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for loss in chosen.losses:
        for penalty in chosen.penalties:
            off, gaps, zeros, passes = [], [], [], []
            cpu = time.process_time()
            for seed in range(chosen.splits):
                train = training_part(schools, seed)
                model = MultiTaskRegressor(
                    loss,
                    alpha=penalty,
                    tol=chosen.tol,
                    fit_intercept="regularized",
                    **LOSSES[loss],
                ).fit(X[train], y[train], schools[train])
                residuals = model.predict(X[~train], schools[~train]) - y[~train]
                off.append(np.sqrt((residuals**2).mean()))
                gaps.append(model.trace_[-1].relative_gap)
                zeros.append(int((~model.coef_.any(axis=0)).sum()))
                passes.append(model.n_iter_)
            cpu = (time.process_time() - cpu) / chosen.splits
            print(
                f"| {loss} | {penalty:g} | {np.mean(off):.2f} ± {np.std(off):.2f} | "
                f"{max(gaps):.1e} | {np.median(zeros):g} of 27 | {np.median(passes):g} | "
                f"{cpu:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
