"""Problems whose rows come in blocks from a container, and rows that lose more digits."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem, write_container
from rrmlinear.data.blocks import RowBlocks
from rrmlinear.training import streaming

N, D = 400, 20


@pytest.fixture
def held_problem(tmp_path, monkeypatch):
    """A function of a seed and of labels(X, rng): a container of random values, in small blocks.

    A limit of a quarter of its size makes a copy of 16 bits.
    """
    monkeypatch.setattr(streaming, "MIN_BLOCK", 1 << 11)
    monkeypatch.setattr(RowBlocks, "is_direct", True)
    for name in ("EXAMPLE_BYTES", "SCORE_BYTES", "WEIGHT_BYTES"):
        monkeypatch.setattr(streaming, name, 0)

    def made(seed, labels):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.5)
        write_container(tmp_path / "c.rrm", Problem.from_arrays(csr_array(X), labels(X, rng)))
        return Problem.open(tmp_path / "c.rrm")

    return made


@pytest.fixture
def start_on_rough_rows():
    """A function that starts an ascent whose rows are ``coarser`` times less exact than 16 bits."""

    def start(ascent, coarser):
        ascent.joins_reading, ascent.tolerance, ascent.target = True, 1e-2, np.inf
        ascent.start()
        if coarser > 1:
            shift = np.random.default_rng(0).choice([-1, 1], N) * coarser
            ascent.rows.units[:, 1] += shift * ascent.rows.units[:, 0]
            ascent.rough.errors[:] += coarser * ascent.rows.units[:, 0] * np.sqrt(D)
        return ascent

    return start
