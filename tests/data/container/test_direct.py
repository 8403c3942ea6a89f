"""Blocks read past the system's cache, laid over the map."""

import os
import sys

import numpy as np
import pytest
from scipy.sparse import random_array

from rrmlinear import Parameter, Problem, fit, write_container
from rrmlinear.catalog.selection import select
from rrmlinear.data.container.direct import DirectReads
from rrmlinear.training import streaming

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="maps are laid over each other")
N = 10_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("direct") / "data.rrm"


@pytest.fixture(scope="module")
def stored(path):
    X = random_array((N, 200), density=0.3, rng=np.random.default_rng(0), format="csr")
    write_container(path, Problem.from_arrays(X, np.zeros(N)))
    return Problem.open(path).container, X


def blocks_of(mapped, **more):
    blocks = mapped.blocks(300_000, more.get("at_once", 2), 1, evicts=True, direct=True)
    if not isinstance(blocks.source, DirectReads):
        pytest.skip("the file system of temporary files has no O_DIRECT")
    return blocks


def same(mapped, X, begin, end):
    rows = mapped.rows.between(begin, end)
    first, last = X.indptr[begin], X.indptr[end]
    here = slice(int(rows.indptr[0]), int(rows.indptr[-1]))
    return (
        np.array_equal(rows.values[here], X.data[first:last])
        and np.array_equal(rows.indices[here], X.indices[first:last])
        and np.array_equal(np.diff(rows.indptr), np.diff(X.indptr[begin : end + 1]))
    )


def test_rows_are_those_of_the_file_whatever_is_held(stored):
    mapped, X = stored
    blocks = blocks_of(mapped)
    source = blocks.source
    assert len(blocks) > 15
    rng = np.random.default_rng(1)
    brought = 0
    for _ in range(6):
        for group in blocks.visit(rng.permutation(len(blocks)).tolist()):
            for block in group:
                assert block in source.held
                brought += 1
            for block in {b + side for b in group for side in (-1, 0, 1)}:  # neighbours too
                if 0 <= block < len(blocks):
                    assert same(mapped, X, *blocks.bounds(block))
    assert brought == 6 * len(blocks)
    assert same(mapped, X, 0, N)  # some held, others by the map
    blocks.release()
    assert not source.held
    assert len(source.free) == blocks.room
    assert same(mapped, X, 0, N)


def test_a_fit_has_the_bits_of_one_over_the_map(stored, path, monkeypatch):
    problem = Problem.open(path)
    size = problem.container.header.file_size
    problem = problem.relabelled(np.where(problem.to_scipy() @ np.arange(-100, 100.0) > 0, 1.0, -1))
    for name in ("EXAMPLE_BYTES", "SCORE_BYTES", "WEIGHT_BYTES"):
        monkeypatch.setattr(streaming, name, 0)
    blocks_of(problem.container)
    weights = []
    for left in (size - 1, size // 2):  # and what is to be left beside the blocks, or not
        monkeypatch.setattr(streaming, "available_memory", lambda left=left: left)
        chosen = select(Parameter(loss="hinge", memory=size // 4))
        held = streaming.streamed(problem, chosen, 1).rows.blocks
        assert isinstance(held.source, DirectReads) == (left == size - 1)
        chosen = Parameter(loss="hinge", memory=size // 4, max_passes=5)
        weights.append(fit(problem, chosen).weights)
    assert np.array_equal(*weights)


def test_more_blocks_than_memory_come_by_the_map(stored):
    mapped, X = stored
    blocks = blocks_of(mapped, at_once=1)
    for block in range(6):
        blocks.source.bring(*blocks.bounds(block))
        assert same(mapped, X, *blocks.bounds(block))
    assert sorted(blocks.source.held) == [0, 1]


def test_blocks_are_read_to_pages_that_stay(stored):
    mapped, X = stored
    blocks = blocks_of(mapped)
    size = blocks.source.slot_bytes
    for block in range(4):
        blocks.source.bring(*blocks.bounds(block))
    taken = os.stat(f"/proc/self/fd/{blocks.source.pages}").st_blocks * 512
    assert 0 < taken <= 4 * size
    for block in range(4, 12):  # the same memory again
        blocks.source.drop(*blocks.bounds(block - 4), True)
        blocks.source.bring(*blocks.bounds(block))
        assert same(mapped, X, *blocks.bounds(block))
    assert os.stat(f"/proc/self/fd/{blocks.source.pages}").st_blocks * 512 <= 4 * size
    blocks.source.drop(0, N, True)
    assert os.stat(f"/proc/self/fd/{blocks.source.pages}").st_blocks == 0


def test_a_file_that_cannot_be_read_so_is_mapped(stored, monkeypatch):
    mapped, _ = stored
    monkeypatch.setattr(os, "open", lambda *given: (_ for _ in ()).throw(OSError(22, "no")))
    assert mapped.blocks(300_000, 2, 1, evicts=True, direct=True).source is mapped
    assert mapped.blocks(300_000, 2, 1, evicts=True).source is mapped


def test_files_are_closed(stored):
    mapped, _ = stored
    before = len(os.listdir("/proc/self/fd"))
    blocks = blocks_of(mapped)
    for _ in blocks.visit([0, 1, 2, 3]):
        pass
    del blocks
    assert len(os.listdir("/proc/self/fd")) <= before
