"""Workers that are killed or retired in mid-fit, and a scheduler that is lost."""

import os
import random
import signal
import threading
import time

import pytest

from rrmlinear import Parameter, Problem, fit

dask_rooms = pytest.importorskip("rrmlinear.dask")
Event = pytest.importorskip("distributed").Event
waiting = pytest.importorskip("rrmlinear.dask.waiting")
Watch, DataLostError = waiting.Watch, waiting.DataLostError

HARD = Parameter(solver=32, loss="squared-hinge", C=0.1, gap_tol=1e-6)


def expected(X, y):
    whole = fit(Problem.from_arrays(X, y, bias=1.0), Parameter(**{**vars(HARD), "gap_tol": 1e-9}))
    return whole.result.primal


def assert_solved(model, primal, noted=True):
    result = model.result
    assert result.solved
    assert result.primal == pytest.approx(primal, rel=1e-6)
    assert result.dual <= primal * (1 + 1e-9)
    # a kill at any moment may come after the last round
    assert not noted or any("was lost with" in note for note in result.notes)


def kill(client, which=0):
    pids = client.run(os.getpid)
    os.kill(pids[sorted(pids)[which]], signal.SIGKILL)


def train(client, X, y, on_pass, limit=60):
    return dask_rooms.fit(
        X, y, HARD, client=client, bias=1.0, parts=4, wait_limit=limit, on_pass=on_pass
    )


def after(number, act):
    """Calls act once, when this number of rounds is done."""

    def on_pass(row):
        if row.number == number:
            act()

    return on_pass


def timer(client, which, moment):
    """Kills a worker this number of seconds after it is called."""
    pids = client.run(os.getpid)
    pid = pids[sorted(pids)[min(which, len(pids) - 1)]]
    return lambda: threading.Timer(moment, os.kill, (pid, signal.SIGKILL)).start()


def test_a_worker_killed_while_the_data_are_sent(harmed, data):
    # arrays of the client are sent again, whoever held them
    X, y = data(n=400)
    harmed.wait_for_workers(2, timeout=60)
    timer(harmed, 1, 0.1)()
    assert_solved(train(harmed, X, y, None), expected(X, y), noted=False)


def test_killed_workers(harmed, data):
    X, y = data(n=400)
    primal = expected(X, y)
    harmed.wait_for_workers(2, timeout=60)
    # between two rounds, with a checkpoint
    assert_solved(train(harmed, X, y, after(2, lambda: kill(harmed))), primal)
    # at any moment
    moment = random.random() / 2
    print(f"killed {moment} s after round 2")
    assert_solved(train(harmed, X, y, after(2, timer(harmed, 1, moment))), primal, noted=False)


def test_data_are_sent_again_where_a_worker_fails(client, monkeypatch):
    watch, calls = Watch(client, 30.0), []
    scatter = client.scatter

    def failing(*arguments, **more):
        calls.append(arguments)
        if len(calls) == 1:
            raise OSError("the worker has closed the connection")
        return scatter(*arguments, **more)

    monkeypatch.setattr(client, "scatter", failing)
    assert watch.scattered(7).result() == 7
    assert len(calls) == 2


def test_data_are_sent_again_in_any_round(client, data, monkeypatch):
    X, y = data(n=400)
    results = Watch.results
    lost = ["a sum of the second order", "adding up the weights for round 1"]

    def losing(watch, futures, needed, what, end=None):
        if what in lost:
            lost.remove(what)
            raise DataLostError(what)
        return results(watch, futures, needed, what, end)

    monkeypatch.setattr(Watch, "results", losing)
    assert_solved(train(client, X, y, None), expected(X, y), noted=False)
    assert not lost


@pytest.mark.slow
def test_a_worker_killed_at_ten_moments(start, data):
    X, y = data(n=400)
    primal = expected(X, y)
    for k in range(10):
        moment = random.random()
        print(f"worker {k % 2} killed {moment} s after round {k + 1}")
        cluster, client = start()
        with cluster, client:
            act = timer(client, k % 2, moment)
            assert_solved(train(client, X, y, after(k + 1, act)), primal, noted=False)


def test_a_retired_worker(start, data):
    X, y = data(n=400)
    cluster, client = start()
    with cluster, client:
        act = after(2, lambda: client.retire_workers([min(client.scheduler_info()["workers"])]))
        assert_solved(train(client, X, y, act), expected(X, y))


def test_workers_that_come_and_go(start, data):
    X, y = data(n=400)
    cluster, client = start(workers=0)
    with cluster, client:
        adaptive = cluster.adapt(minimum=1, maximum=2, interval="100ms", wait_count=1)
        assert train(client, X, y, None).result.primal == pytest.approx(expected(X, y), rel=1e-6)
        adaptive.stop()
        cluster.scale(2)
        client.wait_for_workers(2, timeout=30)

        def change(row):
            if row.number in (4, 10):  # one worker fewer, then one more
                cluster.scale(1 if row.number == 4 else 2)

        assert_solved(train(client, X, y, change), expected(X, y), noted=False)


def test_a_lost_scheduler_is_named(start, data):
    X, y = data(n=400)
    cluster, client = start(workers=1)
    address = client.scheduler.address
    begun = time.monotonic()
    with pytest.raises(ConnectionError, match=f"the scheduler {address} was lost"):
        train(client, X, y, after(1, cluster.close))
    assert time.monotonic() - begun < 60
    client.close()


def test_a_wait_says_who_is_missing(client):
    watch = Watch(client, 0.2)
    address = next(iter(watch.workers()))
    # a lambda is sent by its code: workers cannot import this file where `pytest` started the tests
    future = watch.submit(lambda: Event("enough").wait(timeout=60), workers=[address])
    with pytest.raises(TimeoutError, match=f"a round has waited 0.2 s for {address}"):
        watch.result(future, {future: address}, "a round")
    Event("enough", client=client).set()
    assert future.result(timeout=60)


def test_no_worker_is_a_limit(start, data):
    X, y = data(n=100)
    cluster, client = start(workers=0)
    with cluster, client, pytest.raises(TimeoutError, match="no worker has come"):
        train(client, X, y, None, limit=1)
