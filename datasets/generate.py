"""Seeded data of any size: text-like sparse rows, and dense rows of many classes.

``python datasets/generate.py text --rows 100000 --features 50000 --nonzeros 75 --classes 20 OUT``
``python datasets/generate.py dense --rows 10000 --features 128 --classes 1000 OUT``

Rows are drawn and written in blocks, each from a random stream of its own, so that memory does
not grow with their number. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from libsvm_text import DECIMALS, write_blocks
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse import csr_array, vstack

BLOCK_VALUES = 1_000_000  # nonzeros in memory at a time, about
TOPIC_SHARE = 0.15  # of a document's words come from its class's own frequencies
LENGTH_SPREAD = 0.4  # standard deviation of the logarithm of a document's length
PILOT_ROWS = 2_000  # documents that the inverse document frequencies are counted on
SEPARATION = 5.0  # half the typical distance of two dense centres, in noise deviations
LARGEST_INDEX = np.iinfo(np.int32).max

Block = tuple[Any, NDArray[np.float64]]


def text_blocks(
    rows: int,
    features: int,
    nonzeros: float,
    classes: int,
    *,
    noise: float = 0.0,
    seed: int = 0,
    dtype: Any = np.float64,
) -> Iterator[Block]:
    """(X, y) blocks of documents as tf-idf rows of length 1: X a csr_array, int32 indices.

    A document's words follow Zipf's law (the r-th most frequent word has probability
    log(1 + 1/r) / log(1 + d)); most of them share one order of the words by frequency,
    a share of 0.15 has an order of the document's class. A word met t times weighs
    (1 + log t) · idf. ``nonzeros`` is the mean number of different words in a document. Classes
    are equally likely, labelled 1 … k (−1 and +1 where k = 2), and the fraction ``noise`` of the
    labels is replaced by another class.

    Values have six decimals, so that rows have length 1 to about 1e-5. Raises ValueError, before
    the first block, for sizes that cannot be.
    """
    _check(rows, features, classes, noise, seed)
    if not 1 <= nonzeros <= features / 4:
        raise ValueError(
            f"nonzeros must be between 1 and a quarter of the {features} features, got {nonzeros}"
        )
    words = _Words(features, nonzeros, classes, seed)
    height = max(1, int(BLOCK_VALUES / nonzeros))
    return (
        (words.tf_idf(random, hidden).astype(dtype), _labels(random, hidden, classes, noise))
        for random, hidden in _streams(rows, height, classes, seed)
    )


def dense_blocks(
    rows: int,
    features: int,
    classes: int,
    *,
    noise: float = 0.0,
    seed: int = 0,
    dtype: Any = np.float64,
) -> Iterator[Block]:
    """(X, y) blocks of Gaussian clouds around k Gaussian centres: X an ndarray, n × d.

    Centres are spread so that half the distance of two of them is five deviations of a cloud,
    whatever d; everything is then scaled to a standard deviation of 1/4, which leaves nearly all
    values in [−1, 1], and rounded to six decimals. Labels and ``noise`` as in `text_blocks`.
    """
    _check(rows, features, classes, noise, seed)
    spread = SEPARATION * math.sqrt(2 / features)
    scale = 0.25 / math.hypot(1, spread)
    centres = spread * np.random.default_rng([seed, 0]).standard_normal((classes, features))
    height = max(1, BLOCK_VALUES // features)

    def draw(random: np.random.Generator, hidden: NDArray[np.int64]) -> NDArray[Any]:
        X = random.standard_normal((hidden.size, features))
        X += centres[hidden]
        X *= scale
        return np.round(X, DECIMALS, out=X).astype(dtype, copy=False)

    return (
        (draw(random, hidden), _labels(random, hidden, classes, noise))
        for random, hidden in _streams(rows, height, classes, seed)
    )


def text_data(*sizes: Any, **options: Any) -> tuple[csr_array, NDArray[np.float64]]:
    """`text_blocks` in one piece: X a csr_array (rows × features), y its labels."""
    X, y = zip(*text_blocks(*sizes, **options), strict=True)
    return vstack(X, format="csr"), np.concatenate(y)


def dense_data(*sizes: Any, **options: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """`dense_blocks` in one piece: X an ndarray (rows × features), y its labels."""
    X, y = zip(*dense_blocks(*sizes, **options), strict=True)
    return np.concatenate(X), np.concatenate(y)


class _Words:
    """Zipf's law over d words, the classes' own orders of them, and the words' idf."""

    def __init__(self, features: int, nonzeros: float, classes: int, seed: int) -> None:
        random = np.random.default_rng([seed, 0])
        self.features = features
        self.order = random.permutation(features)
        self.mean_length = _mean_length(features, nonzeros)
        # A class shifts the ranks by an offset before the common order is applied.
        self.offsets = random.integers(features, size=classes)
        pilot = self.counts(random, random.integers(classes, size=PILOT_ROWS))
        found = np.bincount(pilot.indices, minlength=features)
        self.idf = np.log((1 + PILOT_ROWS) / (1 + found)) + 1

    def counts(self, random: np.random.Generator, hidden: NDArray[np.int64]) -> csr_array:
        """How often each word stands in documents of these classes."""
        spread = random.normal(-(LENGTH_SPREAD**2) / 2, LENGTH_SPREAD, hidden.size)
        lengths = 1 + random.poisson(np.maximum(self.mean_length * np.exp(spread) - 1, 0))
        document = np.repeat(np.arange(hidden.size), lengths)
        # (1 + d)^u for uniform u is the inverse of the distribution function.
        rank = np.exp(random.random(document.size) * math.log1p(self.features)).astype(np.int64)
        rank = np.minimum(rank, self.features) - 1
        topical = random.random(document.size) < TOPIC_SHARE
        offset = np.repeat(self.offsets[hidden], lengths)
        word = self.order[np.where(topical, rank + offset, rank) % self.features]
        met, times = np.unique(document * self.features + word, return_counts=True)
        ends = np.searchsorted(met, np.arange(hidden.size + 1) * self.features)
        indices = (met % self.features).astype(np.int32)
        shape = (hidden.size, self.features)
        return csr_array((times.astype(float), indices, ends.astype(np.int32)), shape=shape)

    def tf_idf(self, random: np.random.Generator, hidden: NDArray[np.int64]) -> csr_array:
        """Rows (1 + log t) · idf of documents of these classes, divided by their lengths."""
        X = self.counts(random, hidden)
        X.data = (1 + np.log(X.data)) * self.idf[X.indices]
        length = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
        X.data = np.round(X.data / np.repeat(length, np.diff(X.indptr)), DECIMALS)
        return X


def _mean_length(features: int, nonzeros: float) -> float:
    """The number of words to draw so that this many differ on average."""
    rank = np.arange(1, features + 1)
    frequency = np.log1p(1 / rank) / math.log1p(features)
    # Lengths vary: average over them by Gauss–Hermite quadrature.
    nodes, weights = np.polynomial.hermite_e.hermegauss(7)
    stretch = np.exp(LENGTH_SPREAD * nodes - LENGTH_SPREAD**2 / 2)
    weights = weights / weights.sum()

    def surplus(length: float) -> float:
        # A word is missing if neither the common order nor the class's own draws it. The orders are
        # nearly independent: the two probabilities multiply.
        drawn = length * stretch
        common, own = (
            np.array([np.exp(-share * count * frequency).mean() for count in drawn])
            for share in (1 - TOPIC_SHARE, TOPIC_SHARE)
        )
        return features * (1 - weights @ (common * own)) - nonzeros

    return brentq(surplus, 1e-3, 1e3 * features, rtol=1e-4)


def _streams(
    rows: int, height: int, classes: int, seed: int
) -> Iterator[tuple[np.random.Generator, NDArray[np.int64]]]:
    """A random stream and the true classes of the rows for each block."""
    for number, begin in enumerate(range(0, rows, height), start=1):
        random = np.random.default_rng([seed, number])
        yield random, random.integers(classes, size=min(height, rows - begin))


def _labels(
    random: np.random.Generator, hidden: NDArray[np.int64], classes: int, noise: float
) -> NDArray[np.float64]:
    wrong = random.random(hidden.size) < noise
    label = np.where(wrong, hidden + random.integers(1, classes, hidden.size), hidden) % classes
    return (2.0 * label - 1) if classes == 2 else label + 1.0


def _check(rows: int, features: int, classes: int, noise: float, seed: int) -> None:
    least = {
        "rows": (rows, 1),
        "features": (features, 1),
        "classes": (classes, 2),
        "seed": (seed, 0),
    }
    for name, (value, minimum) in least.items():
        if value < minimum:
            raise ValueError(f"{name} must be {minimum} or more, got {value}")
    if features > LARGEST_INDEX:
        raise ValueError(f"features must be {LARGEST_INDEX} or fewer, got {features}")
    if not 0 <= noise <= 1:
        raise ValueError(f"noise must be between 0 and 1, got {noise}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Write generated data of any size as LIBSVM text.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    text = kinds.add_parser("text", help="documents: Zipf's law, tf-idf, rows of length 1")
    dense = kinds.add_parser("dense", help="Gaussian clouds around many centres")
    text.add_argument("--nonzeros", type=float, default=75, help="mean per row (default 75)")
    for kind, features, classes in ((text, 50_000, 20), (dense, 128, 1_000)):
        kind.add_argument("out", metavar="OUT", type=Path, help="the file to write")
        kind.add_argument("--rows", type=int, default=10_000, help="default 10000")
        kind.add_argument("--features", type=int, default=features, help=f"default {features}")
        kind.add_argument("--classes", type=int, default=classes, help=f"default {classes}")
        kind.add_argument(
            "--noise", type=float, default=0.0, help="fraction of wrong labels (default 0)"
        )
        kind.add_argument("--seed", type=int, default=0, help="default 0")
        kind.add_argument(
            "--dtype",
            choices=("float64", "float32"),
            default="float64",
            help="precision the values are rounded to before they are written (default float64)",
        )
    return parser


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    out, kind = options.pop("out"), options.pop("kind")
    try:
        blocks = (text_blocks if kind == "text" else dense_blocks)(**options)
        write_blocks(out, blocks)
    except ValueError as error:
        parser.error(str(error))
    except OSError as error:
        print(f"generate.py cannot write {out}: {error}", file=sys.stderr)
        return 1
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
