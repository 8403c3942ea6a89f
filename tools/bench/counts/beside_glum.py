"""Poisson, gamma and Tweedie regressions beside glum, scikit-learn and skglm.

python tools/bench/counts/beside_glum.py l2|path [--examples 600000] [--rounds 3]
    [--within 1e-3 1e-6]

The data are generated: ten numbers and four categories of ten levels as sparse columns of zeros
and ones, 50 columns. `l2`: each library gets the loosest tolerance whose objective is within
--within of the optimum, relative to the optimum's distance from the value at weights of 0; fits
then take turns. glum gets its own matrices of categories, made before. `path`: 50 values of alpha
of the 1-norm for Poisson, the first with weights of 0, to 1e-3 of it; the largest excess of a
path's objectives is told. Medians of CPU seconds on one thread (set OMP_NUM_THREADS=1 and
OPENBLAS_NUM_THREADS=1), as a table of Markdown.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import sklearn.linear_model as sk
from scipy.sparse import csr_array, hstack

import rrmlinear

ALPHA, N_ALPHAS, LEAST = 1e-4, 50, 1e-3
LADDER = [10.0**-k for k in range(1, 13)]
POWERS = {"poisson": 1.0, "gamma": 2.0, "tweedie": 1.5}


def made(n: int, seed: int = 0) -> tuple[Any, list[Any], dict[str, Any]]:
    """Sparse rows, their blocks (numbers, and codes of categories), and labels by loss."""
    rng = np.random.default_rng(seed)
    numbers, codes = rng.normal(size=(n, 10)), [rng.integers(0, 10, n) for _ in range(4)]
    ends = np.arange(n + 1)
    levels = [csr_array((np.ones(n), each, ends), shape=(n, 10)) for each in codes]
    X = csr_array(hstack([csr_array(numbers), *levels], format="csr"))
    mean = np.exp(np.clip(X @ (0.2 * rng.normal(size=50)) - 1, -5, 5))
    amounts = rng.gamma(2, mean / 2)
    labels = {
        "poisson": rng.poisson(mean).astype(float),
        "gamma": amounts,
        "tweedie": np.where(rng.random(n) < 0.5, 0, 2 * amounts),
    }
    return X, [numbers, *codes], labels


def half_deviance(power: float, y: Any, scores: Any) -> float:
    """The mean of half unit deviances, less what labels alone add."""
    mean = np.exp(scores)
    if power == 1:
        return float((mean - y * scores).mean())
    if power == 2:
        return float((y / mean + scores).mean())
    return float((mean ** (2 - power) / (2 - power) + y * mean ** (1 - power) / (power - 1)).mean())


def glum_matrix(blocks: list[Any]) -> Any:
    import tabmat

    categories = (tabmat.CategoricalMatrix(each) for each in blocks[1:])
    return tabmat.SplitMatrix([tabmat.DenseMatrix(blocks[0]), *categories])


def seconds(fit: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        found = fit()
    return time.process_time() - begin, found


def compare_l2(n: int, rounds: int, within: list[float]) -> None:
    X, blocks, labels = made(n)
    print("| loss | within | rrmlinear | glum | newton-cholesky | lbfgs | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, power in POWERS.items():
        for row in rows_of(X, glum_matrix(blocks), labels[name], power, rounds, within):
            print(f"| {name} | {row} |", flush=True)


def rows_of(
    X: Any, split: Any, y: Any, power: float, rounds: int, within: list[float]
) -> Iterator[str]:
    """The rows of a loss: the level, medians of seconds, and the quickest peer's over ours."""
    from glum import GeneralizedLinearRegressor, TweedieDistribution

    ours, peer, family = rrmlinear.TweedieRegressor, sk.TweedieRegressor, TweedieDistribution(power)
    own: dict[str, Any] = {"power": power, "alpha": ALPHA}
    of_glum: dict[str, Any] = {"family": family, "link": "log", "alpha": ALPHA, "l1_ratio": 0}
    fits: dict[str, Callable[[float], Any]] = {
        "rrmlinear": lambda t: ours(tol=t, **own).fit(X, y),
        "glum": lambda t: GeneralizedLinearRegressor(
            gradient_tol=t, solver="irls-ls", **of_glum
        ).fit(split, y),
        **{
            solver: partial(_fitted, peer, X, y, own | {"solver": solver, "max_iter": 1000})
            for solver in ("newton-cholesky", "lbfgs")
        },
    }

    def value(model: Any) -> float:
        w = np.asarray(model.coef_)
        scores = X @ w + model.intercept_
        return half_deviance(power, y, scores) + ALPHA / 2 * float(w @ w)

    best = fits["rrmlinear"](1e-12)
    least, size = value(best), best.objective_
    for level in within:
        times: dict[str, list[float]] = {each: [] for each in fits}
        tols: dict[str, float | None] = {}
        for each, fit in fits.items():
            excesses = ((t, value(seconds(partial(fit, t))[1]) - least) for t in LADDER)
            tols[each] = next((t for t, excess in excesses if excess <= level * size), None)
        for _ in range(rounds):
            for each, fit in fits.items():
                if (t := tols[each]) is not None:
                    times[each].append(seconds(partial(fit, t))[0])
        found = {e: statistics.median(t) if t else np.inf for e, t in times.items()}
        ratio = min(t for e, t in found.items() if e != "rrmlinear") / found["rrmlinear"]
        yield f"{level:g} | {' | '.join(f'{t:.3f}' for t in found.values())} | {ratio:.2f}"


def _fitted(kind: Any, X: Any, y: Any, how: dict[str, Any], tol: float) -> Any:
    return kind(tol=tol, **how).fit(X, y)


def compare_path(n: int, rounds: int) -> None:
    from glum import GeneralizedLinearRegressor
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Poisson
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    X, blocks, labels = made(n)
    y, split, dense = labels["poisson"], glum_matrix(blocks), np.asfortranarray(X.toarray())
    largest = float(np.abs(X.T @ (y - y.mean())).max()) / n
    alphas = np.geomspace(largest, LEAST * largest, N_ALPHAS)

    def ours(tol: float) -> Any:
        found = rrmlinear.path(X, y, loss="poisson", regularizer="l1", Cs=1 / (alphas * n), tol=tol)
        return list(zip(found.coefs.reshape(N_ALPHAS, -1), np.ravel(found.intercepts), strict=True))

    def glum(tol: float) -> Any:
        model = GeneralizedLinearRegressor(
            family="poisson", alphas=alphas, alpha_search=True, l1_ratio=1, gradient_tol=tol
        ).fit(split, y)
        return list(zip(model.coef_path_, model.intercept_path_, strict=True))

    def skglm(tol: float) -> Any:
        model = GeneralizedLinearEstimator(
            Poisson(), L1(1.0), ProxNewton(tol=tol, fit_intercept=True, warm_start=True)
        )
        found = []
        for alpha in alphas:
            model.penalty.alpha = alpha
            model.fit(dense, y)
            found.append((model.coef_.ravel().copy(), float(np.ravel(model.intercept_)[0])))
        return found

    def values(path: Any) -> Any:
        each = zip(alphas, path, strict=True)
        return np.array([
            half_deviance(1, y, X @ w + b) + alpha * np.abs(w).sum() for alpha, (w, b) in each
        ])  # fmt: skip

    least = values(ours(1e-10))
    print("| path | tol | CPU s | largest excess |\n| --- | --- | --- | --- |")
    for name, fit in {"rrmlinear": ours, "glum": glum, "skglm": skglm}.items():
        try:
            for tol in (1e-4, 1e-6):
                runs = [seconds(partial(fit, tol)) for _ in range(rounds)]
                excess = (values(runs[-1][1]) - least).max()
                taken = statistics.median(run[0] for run in runs)
                print(f"| {name} | {tol:g} | {taken:.2f} | {excess:.1e} |", flush=True)
        except (ValueError, AttributeError, TypeError) as error:
            print(f"| {name} | | not run: {error} | |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("l2", "path"))
    parser.add_argument("--examples", type=int, default=600_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--within", type=float, nargs="+", default=[1e-3, 1e-6])
    asked = parser.parse_args()
    if asked.what == "l2":
        compare_l2(asked.examples, asked.rounds, asked.within)
    else:
        compare_path(asked.examples, asked.rounds)


if __name__ == "__main__":
    main()
