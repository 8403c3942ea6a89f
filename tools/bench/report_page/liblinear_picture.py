"""Draw the front page's picture, docs/pictures/liblinear.svg, whose path is the argument:

    python tools/bench/report_page/liblinear_picture.py docs/pictures/liblinear.svg

The hinge (`-s 3`) with C = 1 on generated text and on the features of scikit-learn's breast cancer
set as they are. Each point is a training to one tolerance: CPU seconds of the solver alone, the
median of three in turns, and how far the objective is above its minimum, relative to it.
LIBLINEAR is the package liblinear-official. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from liblinear import liblinearutil
from scipy.sparse import csr_matrix, vstack
from sklearn.datasets import load_breast_cancer

from rrmlinear import Parameter, Problem, fit

TOP = Path(__file__).resolve().parents[3]
TURNS = 3
#: LIBLINEAR's -e, and our relative gaps.
TOLERANCES = 10.0 ** np.arange(1, -9, -1)
GAPS = 10.0 ** np.arange(-1, -10, -1)
# An objective that is nearer to its minimum than this is drawn at this distance.
LEAST_DISTANCE = 1e-9
COLOURS = {"rrmlinear": "#1f5fbf", "LIBLINEAR 2.50": "#c4561a"}


class Contest:
    """The hinge on one data set, by both programs."""

    def __init__(self, X: csr_matrix, y: np.ndarray):
        self.X, self.y = X, y
        self.ours = Problem.from_arrays(X, y)
        self.theirs = liblinearutil.problem(y, X)
        tight = Parameter(solver=3, gap_tol=1e-12, time_limit=60)
        self.minimum = fit(self.ours, tight).result.dual

    def distance(self, w: np.ndarray) -> float:
        """The objective at w above its minimum, relative to it."""
        value = w @ w / 2 + np.maximum(0, 1 - self.y * (self.X @ w)).sum()
        return max(value / self.minimum - 1, LEAST_DISTANCE)

    def train_ours(self, gap: float) -> tuple[float, float]:
        """(CPU seconds, distance) of ours to a relative gap."""
        begin = time.process_time()
        model = fit(self.ours, Parameter(solver=3, gap_tol=gap))
        seconds = time.process_time() - begin
        sign = 1.0 if model.labels[0] > 0 else -1.0
        return seconds, self.distance(sign * model.weights[:, 0])

    def train_theirs(self, tolerance: float) -> tuple[float, float]:
        """(CPU seconds, distance) of LIBLINEAR's with -e."""
        parameter = liblinearutil.parameter(f"-s 3 -q -e {tolerance}")
        begin = time.process_time()
        model = liblinearutil.train(self.theirs, parameter)
        seconds = time.process_time() - begin
        sign = 1.0 if model.get_labels()[0] > 0 else -1.0
        return seconds, self.distance(sign * np.array(model.get_decfun()[0]))

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """Medians of (CPU seconds, distance) by program, the trainings taking turns."""
        found: dict[tuple[str, float], list[tuple[float, float]]] = {}
        for _ in range(TURNS):
            for ours, theirs in itertools.zip_longest(GAPS, TOLERANCES):
                if ours is not None:
                    found.setdefault(("rrmlinear", ours), []).append(self.train_ours(ours))
                entry = found.setdefault(("LIBLINEAR 2.50", theirs), [])
                entry.append(self.train_theirs(theirs))
        curves: dict[str, list[tuple[float, float]]] = {name: [] for name in COLOURS}
        for (name, _), points in found.items():
            seconds, distances = zip(*points, strict=True)
            curves[name].append((float(np.median(seconds)), float(np.median(distances))))
        return curves


def text() -> Contest:
    """100 000 generated documents of two classes, one label in twenty wrong."""
    sys.path.insert(0, str(TOP / "datasets"))
    from generate import text_blocks

    blocks = list(text_blocks(100_000, 100_000, 75, 2, noise=0.05))
    return Contest(
        csr_matrix(vstack([X for X, _ in blocks])), np.concatenate([y for _, y in blocks])
    )


def raw_features() -> Contest:
    """569 examples of 30 features between 1e-3 and 4e3."""
    X, y = load_breast_cancer(return_X_y=True)
    return Contest(csr_matrix(X), 2.0 * y - 1)


PANELS: dict[str, Callable[[], Contest]] = {
    "100 000 documents × 100 000 words": text,
    "569 × 30 features, not scaled": raw_features,
}


def draw(path: Path) -> None:
    """Run both contests and write the picture."""
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "rrmlinear"
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
    for axis, (title, contest) in zip(axes, PANELS.items(), strict=True):
        for name, points in contest().curves().items():
            seconds, distances = zip(*points, strict=True)
            axis.loglog(seconds, distances, "o-", ms=4, color=COLOURS[name], label=name)
            print(title, name, *(f"{s:.3g}:{d:.1e}" for s, d in points))
        axis.set(title=title, xlabel="CPU seconds of the solver")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("objective above its minimum")
    axes[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", type=Path, help="the file to write, .svg or .png")
    warnings.simplefilter("ignore")
    draw(parser.parse_args().picture)
