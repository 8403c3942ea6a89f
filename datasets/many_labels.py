"""Seeded sets of text-like rows, each with any number of labels: eurlex-like and amazon-like.

The labels of a row and the words that all rows share follow power laws; each label has words of its
own, most of which its rows contain. Values are tf-idf in rows of length 1, rounded to six decimals,
which float32 holds. `make.py` writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from libsvm_text import DECIMALS, write_blocks
from numpy.typing import NDArray
from scipy.sparse import csr_array, save_npz

LABEL_EXPONENT = 0.9  # the r-th label has probability ∝ r^-0.9
WORD_EXPONENT = 0.8  # the r-th word, among those that rows share, ∝ r^-0.8
OWN_WORDS = 12  # of a label
OWN_SHARE = 0.6  # the part of them that a row of the label has
LEAST_IDF = 0.1
WRITTEN_ROWS = 2_000  # rows made text at a time

Half = tuple[csr_array, csr_array]


@dataclass(frozen=True)
class ManyLabels:
    """The sizes of a set: rows to train and to test on, features, labels; ``drawn`` words a row, of
    which some fall together, and the mean number of labels a row.
    """

    train: int
    test: int
    features: int
    labels: int
    drawn: int
    per_row: float


SETS = {
    "eurlex-like": ManyLabels(15_000, 3_000, 50_000, 4_000, 218, 5.4),
    "amazon-like": ManyLabels(100_000, 10_000, 120_000, 13_000, 75, 5.2),
}


def load_halves(name: str, seed: int = 0) -> tuple[Half, Half]:
    """((X_train, Y_train), (X_test, Y_test)) of a set in `SETS`: csr_arrays, X of float32, n × d,
    and Y of int8, zeros and ones, n × K.
    """
    return draw(SETS[name], seed)


def draw(sizes: ManyLabels, seed: int = 0) -> tuple[Half, Half]:
    """The two halves of a set of these sizes, rows of one population."""
    random = np.random.default_rng(seed)
    n, d, k = sizes.train + sizes.test, sizes.features, sizes.labels
    counts = np.maximum(1, random.poisson(sizes.per_row, n))
    owner = np.repeat(np.arange(n), counts)
    label = _draws(random, k, LABEL_EXPONENT, len(owner))
    owner, label = np.divmod(np.unique(owner * k + label), k)
    Y = csr_array((np.ones(len(owner), np.int8), (owner, label)), shape=(n, k))

    own = random.integers(d, size=(k, OWN_WORDS))
    has = random.random((len(owner), OWN_WORDS)) < OWN_SHARE
    rows = np.concatenate([np.repeat(owner, has.sum(axis=1)), np.repeat(np.arange(n), sizes.drawn)])
    words = np.concatenate([own[label][has], _draws(random, d, WORD_EXPONENT, n * sizes.drawn)])
    places = rows.astype(np.int32), words.astype(np.int32)
    X = csr_array((np.ones(len(rows), np.float32), places), shape=(n, d))  # each pair once
    X.data = _tf_idf(random, X, sizes)
    cut = sizes.train
    return (X[:cut], Y[:cut]), (X[cut:], Y[cut:])


def _draws(random: np.random.Generator, size: int, exponent: float, count: int) -> NDArray[Any]:
    """Numbers 0 … size − 1, the r-th of them with probability ∝ (r + 1)^-exponent."""
    ends = np.cumsum(np.arange(1.0, size + 1) ** -exponent)
    found = np.searchsorted(ends, random.random(count) * ends[-1], side="right")
    return np.minimum(found, size - 1)


def _tf_idf(random: np.random.Generator, X: csr_array, sizes: ManyLabels) -> NDArray[np.float32]:
    """Values for the pairs of X, whose rows then have length 1."""
    known = np.bincount(X.indices[: X.indptr[sizes.train]], minlength=sizes.features)
    idf = np.log(sizes.train / (1 + known)).clip(LEAST_IDF)
    values = (1 + random.exponential(1, X.nnz)) * idf[X.indices]
    norms = np.sqrt(np.add.reduceat(values**2, X.indptr[:-1]))
    return np.round(values / np.repeat(norms, np.diff(X.indptr)), DECIMALS).astype(np.float32)


def write(name: str, folder: Path, arrays: bool = False) -> list[Path]:
    """Write both halves of a set into the folder; returns the paths.

    As text, NAME.libsvm and NAME.libsvm.t, whose labels ``3,17`` stand in front of the pairs; or as
    arrays, NAME.X.npz, NAME.Y.npz, NAME.t.X.npz and NAME.t.Y.npz.
    """
    halves = load_halves(name)
    if not arrays:
        paths = [folder / f"{name}.libsvm", folder / f"{name}.libsvm.t"]
        for path, half in zip(paths, halves, strict=True):
            write_blocks(path, _blocks(*half))
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for part, half in zip((name, f"{name}.t"), halves, strict=True):
        for which, matrix in zip("XY", half, strict=True):
            paths.append(folder / f"{part}.{which}.npz")
            save_npz(paths[-1], matrix)
    return paths


def _blocks(X: csr_array, Y: csr_array) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Rows with their labels as text, some at a time."""
    names = Y.indices.astype(str).tolist()
    ends = Y.indptr.tolist()
    texts = [",".join(names[begin:end]) for begin, end in pairwise(ends)]
    for begin in range(0, X.shape[0], WRITTEN_ROWS):
        part = slice(begin, begin + WRITTEN_ROWS)
        yield X[part], np.array(texts[part])
