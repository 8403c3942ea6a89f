"""Blocks of rows that come and go."""

import threading

import numpy as np
import pytest

from rrmlinear.data.blocks import RowBlocks, cut


class Memory:
    """A source that knows which rows are in memory."""

    def __init__(self, n):
        self.held, self.most = np.zeros(n, dtype=bool), 0

    def bring(self, begin, end):
        self.held[begin:end] = True
        self.most = max(self.most, int(self.held.sum()))

    def drop(self, begin, end, evict):
        self.held[begin:end] = False


def blocks_of(source, ends, **more):
    ends = np.array(ends)
    return RowBlocks(source, ends, np.diff(ends, prepend=0) * 12, **more)


def test_rows_are_cut_by_bytes():
    indptr = np.array([0, 4, 4, 5, 9, 30, 31])
    ends, sizes = cut(indptr, 10, 1, 60)
    assert ends.tolist() == [3, 4, 5, 6]  # the row of 21 values is a block of its own
    assert sizes.tolist() == [53, 41, 211, 11]


def test_blocks_are_in_memory_while_they_are_used():
    source = Memory(100)
    blocks = blocks_of(source, range(10, 101, 10))
    seen = []
    for group in blocks.visit([7, 2, 2, 9, 0]):
        begin, end = blocks.bounds(group[0])
        assert source.held[begin:end].all()
        seen += group
    assert seen == [7, 2, 2, 9, 0]
    assert source.most <= 20
    blocks.release()
    assert not source.held.any()


def test_several_blocks_come_together():
    source = Memory(100)
    blocks = blocks_of(source, range(10, 101, 10), at_once=3)
    groups = [list(group) for group in blocks.visit(range(10))]
    assert groups == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert source.most <= 60
    assert (blocks.most_rows, blocks.most_bytes) == (30, 360)


def test_parts_of_a_range_and_of_chosen_rows():
    blocks = blocks_of(Memory(30), [10, 15, 30])
    assert list(blocks.between(5, 20)) == [(5, 10), (10, 15), (15, 20)]
    assert list(blocks.between(10, 15)) == [(10, 15)]
    assert list(blocks.between(7, 7)) == []
    assert list(blocks.among(np.array([1, 2, 20, 29]))) == [(0, 2), (2, 4)]
    assert blocks.brought == 5  # one block is in memory, and one on the way


def test_a_pass_that_ends_early_lets_go():
    source = Memory(30)
    blocks = blocks_of(source, [10, 20, 30])
    passing = blocks.visit([0, 1, 2])
    next(passing)
    passing.close()
    blocks.release()
    assert not source.held.any()


def test_errors_of_reading_are_raised_in_the_pass():
    class Broken(Memory):
        def bring(self, begin, end):
            if begin == 10:
                raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        list(blocks_of(Broken(30), [10, 20, 30]).visit([0, 1, 2]))


def test_passes_at_the_same_time():
    source = Memory(200)
    blocks = blocks_of(source, range(10, 201, 10), passes=2)
    wrong = []

    def read(order):
        for group in blocks.visit(order):
            begin, end = blocks.bounds(group[0])
            if not source.held[begin:end].all():
                wrong.append(group)

    threads = [
        threading.Thread(target=read, args=(order,)) for order in (range(20), range(19, -1, -1))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert source.most <= 40
