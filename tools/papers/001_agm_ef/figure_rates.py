"""The rates of AGM-EF beside their bounds.

    python tools/papers/001_agm_ef/figure_rates.py --png rates.png

Theorems 6 and 14 of Zhang, Saha and Vishwanathan, Regularized risk minimization by Nesterov's
accelerated gradient methods, bound J(x_k) − J(x*), J = f + Ψ, f L-smooth and λ₁-strongly convex, Ψ
λ₂-strongly convex, λ = λ₁ + λ₂, Δ = ½‖x* − x_0‖²:

    AGM-EF-∞ (theorem 6)    Δ min(4L/(k + 1)², (L − λ₁) (1 + √(λ/4L))^(2 − 2k))
    AGM-EF-1 (theorem 14)   (L − λ₁) Δ min(4/(k + 2)², (1 − √(λ/L'))^k),  L' = L + λ₂

Both run with the fixed L of the theorems, and with L by trial. Problems: Nesterov's quadratic in d
variables, twice the steps, which no k gradients bring below (1/(k + 1) − 1/(d + 1)) L/8 above its
minimum (λ = 0); the same with λ in Ψ, and with λ in f; and the logistic loss on a9a with ½λ‖w‖² in
Ψ. The table has the steps to parts of Δ L, and those that the bounds ask for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array, eye_array
from scipy.sparse.linalg import spsolve

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from data_files import data_file
from measuring import BenchmarkError, check_outputs, write_whole
from problem_sets import load

from rrmlinear import Parameter, Problem, fit
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.gradient.agm_routes import DualSquare, PrimalRoute
from rrmlinear.solvers.gradient.composite import Euclidean
from rrmlinear.solvers.gradient.estimate_functions import (
    FIXED,
    Constants,
    EstimateFunctions,
    InfiniteMemory,
    OneMemory,
    Pace,
)
from rrmlinear.solvers.loop.power import curvature_bound

Array = NDArray[np.float64]
Bound = Callable[[Array, float, float, float], Array]
# Modulus of the strongly convex problems, L being about 1, and λ of the logistic problem.
MODULUS, LAMBDA = 1e-3, 1e-3
LEVELS = (1e-2, 1e-4, 1e-6)
# Errors this small beside J(x*) are rounding.
ROUNDING = 1e-13


def theorem_6(k: Array, L: float, lam1: float, lam2: float) -> Array:
    """The bound over Δ."""
    linear = (L - lam1) * (1 + np.sqrt((lam1 + lam2) / (4 * L))) ** (2 - 2 * k)
    return np.minimum(4 * L / (k + 1) ** 2, linear)


def theorem_14(k: Array, L: float, lam1: float, lam2: float) -> Array:
    """The bound over Δ."""
    linear = (1 - np.sqrt((lam1 + lam2) / (L + lam2))) ** k
    return (L - lam1) * np.minimum(4 / (k + 2) ** 2, linear)


# Method: class, bound, trials before x_0.
METHODS: dict[str, tuple[type[EstimateFunctions], Bound, int]] = {
    "AGM-EF-∞": (InfiniteMemory, theorem_6, 0),
    "AGM-EF-1": (OneMemory, theorem_14, 1),
}


class Quadratic:
    """f(x) = ½x'Hx − b'x, the value and gradient at ``x``, and Ψ = ½λ₂‖x‖²."""

    def __init__(self, H: Any, b: Array, lam2: float) -> None:
        self.H, self.b, self.lam2 = H, b, lam2
        self.optimum = spsolve(csc_array(H + lam2 * eye_array(len(b))), b)

    def image(self, x: Array) -> Array:
        return x

    def at(self, x: Array) -> AtPoint:
        return AtPoint(self, x)

    def rest(self, x: Array) -> float:
        return self.lam2 / 2 * float(x @ x)

    def dot(self, gradient: Array, step: Array) -> float:
        return float(gradient @ step)

    def lowest(self, gradient: Array, t: float, c: float, mirror: Array) -> Array:
        return (c * mirror - gradient) / (c + t * self.lam2)


class AtPoint:
    """f at a point."""

    dual = None

    def __init__(self, f: Quadratic, x: Array) -> None:
        self.x, line = x, f.H @ x
        self.value = float(line @ x) / 2 - float(f.b @ x)
        self.gradient = line - f.b

    def gradient_rise(self, other: AtPoint) -> float:
        return float((other.gradient - self.gradient) @ (other.x - self.x)) / 2


@dataclass(frozen=True)
class Case:
    """J with its constants, Δ(x*, 0) and J(x*); ``worst``: no method is below its `floor`."""

    name: str
    problem: Any
    size: int
    L: float
    lam1: float
    lam2: float
    distance: float
    optimum: float
    worst: bool = False

    def errors(self, method: str, steps: int, pace: Pace) -> Array:
        """J(x_k) − J(x*) for k = 1, 2, …, above rounding."""
        kind, _, before = METHODS[method]
        constants = Constants(self.lam1, self.lam2)
        L = self.L / (10 if pace.adaptive else 1)
        run = kind(self.problem, Euclidean(), np.zeros(self.size), L, constants, pace)
        found = []
        while len(found) < steps + before:
            if run.advance():
                found.append(run.value - self.optimum)
        kept = np.array(found[before:])
        return np.maximum(kept, ROUNDING * abs(self.optimum))

    def floor(self, steps: int) -> Array:
        """What no sums of k = 1, 2, … gradients get below."""
        k = np.arange(1.0, steps + 1)
        return (1 / (k + 1) - 1 / (self.size + 1)) / 8

    def bound(self, method: str, steps: int) -> Array:
        k = np.arange(1.0, steps + 1)
        return self.distance * METHODS[method][1](k, self.L, self.lam1, self.lam2)


def worst_case(steps: int, lam1: float, lam2: float) -> Case:
    """Nesterov's tridiagonal quadratic with L = 1 + λ₁, and the strong convexity given."""
    d = 2 * steps + 1
    H = diags_array([-0.25, 0.5 + lam1, -0.25], offsets=[-1, 0, 1], shape=(d, d)).tocsr()
    b = np.zeros(d)
    b[0] = 0.25
    f = Quadratic(H, b, lam2)
    x = f.optimum
    where = "Ψ" if lam2 else "f"
    name = f"worst quadratic, λ = {lam1 + lam2:g} in {where}" if lam1 + lam2 else "worst quadratic"
    best = f.at(x).value + f.rest(x)
    return Case(name, f, d, 1 + lam1, lam1, lam2, float(x @ x) / 2, best, not lam1 + lam2)


def logistic(path: Path) -> Case:
    """(1/n) Σ log loss + ½λ‖w‖² on a set, divided by λ."""
    X, y = load(str(path))
    C = 1 / (LAMBDA * len(y))
    given = Problem.from_arrays(X, y)
    result = fit(given, Parameter(solver="auto", loss="logistic", C=C, gap_tol=1e-13)).result
    risk = ScalarRisk(given.rows, Logistic(), y, np.full(len(y), C))
    route = PrimalRoute(risk, L2(), 0.0, DualSquare(risk))
    w = result.weights.ravel()
    at = risk.at(risk.scores(w))
    name = f"logistic, {path.name.removesuffix('.xz')}, λ = {LAMBDA:g}"
    best, square = at.value + float(w @ w) / 2, float(w @ w) / 2
    return Case(name, route, len(w), route.lipschitz(curvature_bound(risk)), 0.0, 1.0, square, best)


def cases_of(steps: int) -> list[Case]:
    found = [worst_case(steps, *lams) for lams in ((0, 0), (0, MODULUS), (MODULUS, 0))]
    try:
        found.append(logistic(data_file("a9a")))
    except BenchmarkError as error:
        print(f"left out: {error}", file=sys.stderr)
    return found


Runs = dict[str, dict[str, Array]]


def runs_of(case: Case, steps: int) -> Runs:
    """By method: errors with the fixed and with a tried L, and the bound."""
    return {
        method: {
            "fixed": case.errors(method, steps, FIXED),
            "tried": case.errors(method, steps, Pace()),
            "bound": case.bound(method, steps),
        }
        for method in METHODS
    }


def draw(cases: Sequence[Case], runs: Sequence[Runs], path: Path) -> None:
    """A panel for each case; bounds thin."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.2 * (len(cases) + 1) // 2), layout="constrained")
    axes = figure.subplots(-(-len(cases) // 2), 2, squeeze=False).ravel()
    for case, each, axis in zip(cases, runs, axes, strict=False):
        for at, (method, lines) in enumerate(each.items()):
            k = np.arange(1, len(lines["fixed"]) + 1)
            number = (6, 14)[at]
            look = {"color": f"C{at}"}
            axis.plot(k, lines["bound"], "--", linewidth=1, label=f"theorem {number}", **look)
            axis.plot(k, lines["fixed"], label=f"{method}, fixed L", **look)
            best = np.minimum.accumulate(lines["tried"])
            axis.plot(k, best, ":", label=f"{method}, L by trial, best so far", **look)
        if case.worst:
            axis.plot(k, case.floor(len(k)), color="0.5", linewidth=1, label="no method is below")
        axis.set(title=case.name, xlabel="step k", yscale="log")
        if case.lam1 + case.lam2 == 0:
            axis.set_xscale("log")
        axis.grid(alpha=0.3, linewidth=0.5)
    for axis in axes[len(cases) :]:
        axis.set_axis_off()
    axes[0].set_ylabel("J(x_k) − J(x*)")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False
    )
    figure.savefig(path, format="png", dpi=120)


def first(values: Array, level: float) -> str:
    """The first k at which these are at most a level."""
    there = np.flatnonzero(values <= level)
    return str(there[0] + 1) if len(there) else f"> {len(values)}"


def tell(cases: Sequence[Case], runs: Sequence[Runs]) -> None:
    heads = " | ".join(f"to {level:g} L Δ, bound" for level in LEVELS)
    print(f"| problem | L/λ | method | {heads} | largest error / bound |")
    print("|" + " --- |" * (4 + len(LEVELS)))
    worst = dict.fromkeys(METHODS, 0.0)
    for case, each in zip(cases, runs, strict=True):
        lam = case.lam1 + case.lam2
        for method, lines in each.items():
            unit = case.L * case.distance
            cells = [
                f"{first(lines['fixed'], level * unit)}, {first(lines['bound'], level * unit)}"
                for level in LEVELS
            ]
            visible = lines["fixed"] > 2 * ROUNDING * abs(case.optimum)
            share = float((lines["fixed"] / lines["bound"])[visible].max())
            worst[method] = max(worst[method], share)
            ratio = f"{case.L / lam:.3g}" if lam else "∞"
            print(f"| {case.name} | {ratio} | {method} | {' | '.join(cells)} | {share:.2f} |")
    for (method, share), number in zip(worst.items(), (6, 14), strict=True):
        held = "holds" if share <= 1 else "is broken"
        print(
            f"found: the bound of theorem {number} {held} at every step of {method}; the largest "
            f"error is {share:.2f} of it"
        )
    errors = runs[0]["AGM-EF-∞"]["fixed"]
    above = errors / cases[0].floor(len(errors))
    print(
        "found: the error of AGM-EF-∞ on the worst quadratic is "
        f"{above.min():.1f} to {above.max():.1f} times what no method gets below"
    )


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--png", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    if chosen.steps < 2:
        parser.error(f"--steps is {chosen.steps}; it must be at least 2")
    try:
        check_outputs(chosen.png)
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    cases = cases_of(chosen.steps)
    runs = [runs_of(case, chosen.steps) for case in cases]
    tell(cases, runs)
    if chosen.png is not None:
        write_whole(chosen.png, lambda path: draw(cases, runs, path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
