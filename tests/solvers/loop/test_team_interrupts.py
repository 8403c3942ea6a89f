"""Ctrl-C and threads that meet: nobody is left waiting."""

import os
import random
import signal
import threading
import time

from rrmlinear.solvers.loop.team import Team

INTERRUPTS = 100


def test_no_thread_is_left_at_a_meeting():
    chance = random.Random(0)
    ready = threading.Event()
    broken = []

    def send():
        for _ in range(INTERRUPTS):
            ready.wait()
            ready.clear()
            time.sleep(chance.uniform(0.0, 0.002))
            os.kill(os.getpid(), signal.SIGINT)

    def meet(barrier, thread):
        try:
            barrier.wait(timeout=10)
        except threading.BrokenBarrierError:
            broken.append(thread)

    sender = threading.Thread(target=send)
    sender.start()
    interrupted = 0
    team = Team(2)
    while interrupted < INTERRUPTS and not broken:
        try:
            ready.set()
            while True:
                team.on_each(2, meet, threading.Barrier(2))
        except KeyboardInterrupt:
            interrupted += 1
        except RuntimeError:  # the interrupt came to the standard library's locks
            broken.append("lock")
    sender.join(timeout=10)
    team.close()
    assert not broken
    assert interrupted == INTERRUPTS


def test_pieces_are_short_where_threads_are_slow_to_meet():
    team, seconds = Team(2), []

    def task(amount, size, thread):
        time.sleep(amount * (1e-3 if size == 2 else 1e-6))

    for _ in range(40):
        amount = team.timely("full", 50_000)  # 50 s on two threads
        begin = time.perf_counter()
        team.shared("full", task, amount, amount=amount)
        seconds.append((time.perf_counter() - begin, amount))
    team.close()
    assert max(took for took, _ in seconds) < 5.0
    assert max(amount for _, amount in seconds) == 50_000  # on one thread
