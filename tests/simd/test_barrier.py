"""After a meeting each thread sees what the others wrote before it."""

import threading

import numpy as np
import pytest

from rrmlinear.data.rows import aligned_zeros

FLAG = 16  # doubles


@pytest.mark.parametrize(("threads", "rounds"), [(1, 1000), (2, 3000), (3, 500), (5, 100)])
@pytest.mark.parametrize("pause", [0, 20_000])
def test_all_have_written_before_anyone_reads(door, threads, rounds, pause):
    # with more threads than processors, and one that is late, too
    rounds = rounds if pause == 0 else 20
    flags, board = aligned_zeros(threads, FLAG), np.zeros(threads, np.int64)
    wrong = [None] * threads

    def run(me):
        wrong[me] = door.meet(flags, threads, me, board, rounds, pause)

    team = [threading.Thread(target=run, args=(me,)) for me in range(threads)]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    assert wrong == [0] * threads
    assert (board == rounds).all()
