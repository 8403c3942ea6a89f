"""One training on many labels in a process of its own: its seconds, objectives and best labels.

``python label_trainers.py PROGRAM FOLDER GAP PRUNE``, as `beside_libmultilabel.py` starts it.
FOLDER has X, Y, test_X and test_Y as .npz files, and the places of the labels to compare on in
chosen.npy. The facts go to standard output as JSON, the best labels of the test rows to best.npy.
GAP and PRUNE are those of `Asked`. NumPy, SciPy and the program alone are needed, so that it may be
installed for another Python. Memory is told on Linux alone.

The problem of a label is ½‖w‖² + ½b² + Σ max(0, 1 − y(w'x + b))², C = 1.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, load_npz

TOP = 5
AT_ONCE = 64  # labels whose objectives are computed together
TEST_ROWS = 256  # predicted together where scores are dense, as LibMultiLabel does


class Asked(NamedTuple):
    """What rrmlinear trains to: the relative gap of each label, and the weights to leave out."""

    gap: float
    prune: float


class Trained(NamedTuple):
    """What a program made: its objectives of the labels, or weights with the bias in the last row,
    (d + 1) × labels, or neither; and the places of the best labels of rows, n × TOP.
    """

    objectives: Any
    weights: Any
    best: Callable[[csr_matrix], Any]


Train = Callable[[csr_matrix, csr_matrix], Trained]


def libmultilabel(asked: Asked) -> Train:
    """One against the rest, LIBLINEAR's L2-loss dual."""
    linear = _libmultilabel()

    def train(X: csr_matrix, Y: csr_matrix) -> Trained:
        model = linear.train_1vsrest(Y, X, options="-s 1 -B 1 -m 1", verbose=False)
        best = _of_scores(lambda rows: linear.predict_values(model, rows))
        return Trained(None, np.asarray(model.weights), best)

    return train


def libmultilabel_tree(asked: Asked) -> Train:
    """Its label tree, at its defaults but for the bias."""
    linear = _libmultilabel()
    np.random.seed(0)  # noqa: NPY002  (the tree draws from it)

    def train(X: csr_matrix, Y: csr_matrix) -> Trained:
        model = linear.train_tree(Y, X, options="-s 1 -B 1 -m 1", verbose=False)
        return Trained(None, None, _of_scores(model.predict_values))

    return train


def scikit_learn(asked: Asked) -> Train:
    """OneVsRestClassifier over LinearSVC."""
    from sklearn.svm import LinearSVC

    return _one_vs_rest(LinearSVC(C=1.0, dual="auto", intercept_scaling=1.0))


def rrmlinear_each(asked: Asked) -> Train:
    """OneVsRestClassifier over our LinearSVC: a fit of its own for each label."""
    import rrmlinear

    return _one_vs_rest(rrmlinear.LinearSVC(C=1.0))


def rrmlinear_labels(asked: Asked) -> Train:
    """All labels together, each to its relative gap."""
    from rrmlinear import MultilabelProblem, Parameter, fit_labels

    def train(X: csr_matrix, Y: csr_matrix) -> Trained:
        problem = MultilabelProblem.from_arrays(X, Y, bias=1.0)
        parameter = Parameter(solver="auto", loss="squared-hinge", C=1.0, gap_tol=asked.gap)
        model = fit_labels(problem, parameter, prune=asked.prune)
        return Trained(model.result.primal, None, lambda rows: model.predict_top_k(rows, TOP)[0])

    return train


def rrmlinear_tree(asked: Asked) -> Train:
    """A tree of labels, each node to its relative gap."""
    from rrmlinear import MultilabelProblem, Parameter, fit_label_tree

    def train(X: csr_matrix, Y: csr_matrix) -> Trained:
        problem = MultilabelProblem.from_arrays(X, Y, bias=1.0)
        parameter = Parameter(solver="auto", loss="squared-hinge", C=1.0, gap_tol=asked.gap)
        tree = fit_label_tree(problem, parameter, prune=asked.prune)
        # labels of no row are not in it
        return Trained(None, None, lambda rows: tree.names[tree.predict_top_k(rows, TOP)[0]])

    return train


#: What imports each program and returns its training.
PROGRAMS = {
    "libmultilabel": libmultilabel,
    "libmultilabel-tree": libmultilabel_tree,
    "scikit-learn": scikit_learn,
    "rrmlinear-each": rrmlinear_each,
    "rrmlinear": rrmlinear_labels,
    "rrmlinear-tree": rrmlinear_tree,
}
#: Those that need all labels, or are quick enough for them.
OF_ALL_LABELS = ("libmultilabel-tree", "rrmlinear", "rrmlinear-tree")


def _libmultilabel() -> Any:
    import psutil

    psutil.cpu_count = lambda logical=True: 1  # the number of threads that it starts
    import libmultilabel.linear

    return libmultilabel.linear


def _one_vs_rest(machine: Any) -> Train:
    from sklearn.multiclass import OneVsRestClassifier

    def train(X: csr_matrix, Y: csr_matrix) -> Trained:
        # of int8 scikit-learn 1.9.1 takes more than 128 columns in another order
        model = OneVsRestClassifier(machine).fit(X, Y.astype(np.int64))
        weights = [np.append(each.coef_, each.intercept_) for each in model.estimators_]
        return Trained(None, np.array(weights).T, _of_scores(model.decision_function))

    return train


def _of_scores(scores: Callable[[csr_matrix], Any]) -> Callable[[csr_matrix], Any]:
    """The best labels by a function that returns dense scores of rows, some rows at a time."""

    def best(rows: csr_matrix) -> Any:
        found = []
        for begin in range(0, rows.shape[0], TEST_ROWS):
            part = np.asarray(scores(rows[begin : begin + TEST_ROWS]))
            top = np.argpartition(part, -TOP)[:, -TOP:]
            order = np.argsort(-np.take_along_axis(part, top, axis=1), axis=1)
            found.append(np.take_along_axis(top, order, axis=1))
        return np.concatenate(found)

    return best


def objectives_of(weights: Any, X: csr_matrix, Y: csr_matrix) -> Any:
    """The objective of each label, in float64."""
    X, columns, found = X.astype(np.float64), Y.tocsc(), []
    for begin in range(0, weights.shape[1], AT_ONCE):
        part = np.asarray(weights[:, begin : begin + AT_ONCE], dtype=np.float64)
        signs = 2.0 * columns[:, begin : begin + AT_ONCE].toarray() - 1
        missing = np.maximum(0, 1 - signs * (X @ part[:-1] + part[-1]))
        found.append(0.5 * (part**2).sum(axis=0) + (missing**2).sum(axis=0))
    return np.concatenate(found)


def _warm_up(train: Train) -> None:
    """Train on a small problem, so that what is loaded or compiled at first is not measured."""
    random = np.random.default_rng(0)
    X = random.random((40, 6))
    signs = X + 0.2 * random.standard_normal((40, 6)) > 0.5
    train(csr_matrix(X), csr_matrix(signs.astype(np.int8))).best(csr_matrix(X))


def _memory(which: str) -> int:
    """VmRSS, the memory that this process holds, or VmHWM, the most it has held, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    return int(status.split(f"{which}:")[1].split()[0]) * 1024


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    program, folder = sys.argv[1], Path(sys.argv[2])
    X, Y, test = (csr_matrix(load_npz(folder / f"{name}.npz")) for name in ("X", "Y", "test_X"))
    chosen = np.load(folder / "chosen.npy")
    trained_on = Y if program in OF_ALL_LABELS else Y[:, chosen]
    train = PROGRAMS[program](Asked(*map(float, sys.argv[3:])))
    _warm_up(train)
    _forget_peak()
    before, begun = _memory("VmRSS"), time.process_time()
    trained = train(X, trained_on)
    seconds, peak, begun = time.process_time() - begun, _memory("VmHWM"), time.process_time()
    np.save(folder / "best.npy", trained.best(test))
    predicting = time.process_time() - begun
    objectives = trained.objectives
    if trained.weights is not None:
        objectives = objectives_of(trained.weights, X, trained_on)
    elif objectives is not None:
        objectives = objectives[chosen]
    facts = {
        "labels": trained_on.shape[1],
        "seconds": seconds,
        "predicting": predicting,
        "objective": None if objectives is None else float(np.sum(objectives)),
        "before": before,
        "peak": peak,
    }
    print("\n" + json.dumps(facts))


if __name__ == "__main__":
    main()
