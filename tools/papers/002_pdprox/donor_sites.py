"""A stand-in for MEMset Donar (Yeo and Burge, 2003), which is not freely available.

It has the same shape: n = 16 830 sequences of seven letters A, C, G, T, half of them true splice
donor sites, half false ones. Interactions of up to three positions are indicators: 2604 columns in
63 groups (a group is a set of positions, with 4, 16 or 64 columns), rows of norm 1. The letters of
true sites have frequencies like human donor sites around the GT: three positions before it and four
after. Two pairs of positions depend on each other. False sites are near the background frequencies,
and some of them look true.

``python tools/papers/002_pdprox/donor_sites.py OUT`` writes LIBSVM text OUT and the group of each
column, OUT.groups.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

LETTERS, POSITIONS = 4, 7
TRUE = 8415  # sites, and as many false ones
# Frequencies of A, C, G, T at −3, −2, −1, +3, +4, +5, +6 of true sites.
SITES = np.array(
    [
        [0.34, 0.36, 0.18, 0.12],
        [0.60, 0.13, 0.13, 0.14],
        [0.09, 0.03, 0.80, 0.08],
        [0.52, 0.03, 0.42, 0.03],
        [0.71, 0.08, 0.12, 0.09],
        [0.07, 0.05, 0.82, 0.06],
        [0.16, 0.16, 0.20, 0.48],
    ]
)
BACKGROUND = np.array([0.27, 0.22, 0.22, 0.29])
# (first, second, letter, probability): where the first position lacks its G, the second has its
# consensus letter with this additional probability.
PAIRS = ((2, 5, 2, 0.9), (5, 4, 0, 0.8))
LOOKALIKE = 0.18  # fraction of the false sites drawn like true ones

SUBSETS = [
    subset for size in (1, 2, 3) for subset in combinations(range(POSITIONS), size)
]  # the groups, in order
SIZES = np.array([LETTERS ** len(subset) for subset in SUBSETS])


def sequences(rows: int, random: np.random.Generator) -> NDArray[np.int64]:
    """True sites: letters 0 … 3 at seven positions."""
    found = np.stack([random.choice(LETTERS, rows, p=p / p.sum()) for p in SITES], axis=1)
    for first, second, letter, how_often in PAIRS:
        lacking = (found[:, first] != 2) & (random.random(rows) < how_often)
        found[lacking, second] = letter
    return found


def interactions(found: NDArray[np.int64]) -> csr_array:
    """Indicators of the letters at each set of one to three positions, rows of norm 1."""
    columns, before = [], 0
    for subset, size in zip(SUBSETS, SIZES, strict=True):
        place = np.zeros(len(found), dtype=np.int64)
        for position in subset:
            place = LETTERS * place + found[:, position]
        columns.append(before + place)
        before += size
    indices = np.stack(columns, axis=1).astype(np.int32).ravel()
    ends = np.arange(0, len(indices) + 1, len(SUBSETS), dtype=np.int32)
    values = np.full(len(indices), len(SUBSETS) ** -0.5)
    return csr_array((values, indices, ends), shape=(len(found), before))


def donor_sites(rows: int = 2 * TRUE, seed: int = 0) -> tuple[csr_array, NDArray[Any]]:
    """X (rows × 2604) and labels ±1, half of each, in a shuffled order."""
    random = np.random.default_rng(seed)
    y = np.where(np.arange(rows) % 2, -1.0, 1.0)[random.permutation(rows)]
    found = random.choice(LETTERS, (rows, POSITIONS), p=BACKGROUND)
    as_true = (y > 0) | (random.random(rows) < LOOKALIKE)
    found[as_true] = sequences(int(as_true.sum()), random)
    return interactions(found), y


def main(words: list[str] | None = None) -> int:
    from rrmlinear import Problem, write_libsvm

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--rows", type=int, default=2 * TRUE)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(words)
    X, y = donor_sites(chosen.rows, chosen.seed)
    groups = np.repeat(np.arange(1, len(SIZES) + 1), SIZES)
    try:
        write_libsvm(chosen.out, Problem.from_arrays(X, y))
        chosen.out.with_name(f"{chosen.out.name}.groups").write_text(
            "".join(f"{group}\n" for group in groups), encoding="utf-8"
        )
    except OSError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
