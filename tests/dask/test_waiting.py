"""Who is asked for workers, what a lack of memory is called, and that every wait ends."""

from types import SimpleNamespace

import numpy as np
import pytest

from rrmlinear import Parameter

da = pytest.importorskip("dask.array", reason="training over workers needs dask")
distributed = pytest.importorskip("distributed")
KilledWorker = pytest.importorskip("distributed.scheduler").KilledWorker
rooms = pytest.importorskip("rrmlinear.dask")
fleet_room = pytest.importorskip("rrmlinear.dask.fleet")
waiting = pytest.importorskip("rrmlinear.dask.waiting")
coded = pytest.importorskip("rrmlinear.estimators.over_workers.predictions").coded
GONE = "tcp://127.0.0.1:1"


def test_the_scheduler_itself_is_asked_who_is_there(client, data, monkeypatch):
    # what a client keeps is empty whenever it has just asked for no worker
    monkeypatch.setattr(client, "scheduler_info", lambda *given, **more: {"workers": {}})
    watch = waiting.Watch(client, 30.0)
    threads = client.nthreads()
    assert watch.workers() == threads
    assert watch.all_workers() == set(threads)
    parameter, how = Parameter(solver=32, loss="logistic", C=0.1), {"parts": 2, "wait_limit": 30}
    model = rooms.fit(*data(n=200, d=4), parameter, client=client, **how)
    assert model.result.solved
    assert not any("was lost" in note for note in model.result.notes)


def test_labels_and_offsets_are_waited_for_up_to_the_limit(client):
    names = np.array(["a", "b"])

    def late(block):
        distributed.Event("labels are enough").wait(timeout=60)
        return block

    y = da.from_array(names, chunks=1).map_blocks(late, meta=names[:0])
    with pytest.raises(TimeoutError, match=r"looking at the labels has waited 0\.2 s"):
        coded(waiting.Watch(client, 0.2), y)
    with pytest.raises(TimeoutError, match=r"gathering a collection has waited 0\.2 s"):
        waiting.Watch(client, 0.2).computed(y)
    distributed.Event("labels are enough", client=client).set()


@pytest.fixture
def exceeded(client):
    """A watch whose scheduler knows of a worker that took too much memory."""
    client.log_event(waiting.MEMORY_EVENTS, {"worker": GONE, "pid": 1, "rss": 3_000_000_000})
    return waiting.Watch(client, 30.0)


def test_a_worker_that_exceeds_its_memory_is_named(exceeded):
    said = exceeded.of_memory({GONE, "tcp://127.0.0.1:2"})
    assert said.startswith(f"{GONE} with 3000 MB exceeded the memory that a worker may take: ")
    assert exceeded.of_memory({"tcp://127.0.0.1:2"}) == ""


@pytest.mark.parametrize(
    ("address", "error", "words"),
    [
        (GONE, MemoryError, f"looking at block 3: {GONE} with 3000 MB exceeded"),
        ("tcp://127.0.0.1:2", ConnectionError, "looking at block 3: Attempted to run task"),
    ],
)
def test_tasks_whose_workers_die(exceeded, address, error, words, monkeypatch):
    def gather(_):
        raise KilledWorker("shape_of", SimpleNamespace(address=address), 3)

    monkeypatch.setattr(exceeded.client, "gather", gather)
    with pytest.raises(error, match=words):
        exceeded.result(None, {}, "looking at block 3")


def test_workers_that_are_paused_are_named(client, monkeypatch):
    watch = waiting.Watch(client, 0.1)
    monkeypatch.setattr(watch, "workers", dict)
    address = min(client.nthreads())
    with pytest.raises(TimeoutError, match=f"{address}.* takes no tasks: Dask pauses.*; why"):
        watch.some_worker("why")


def test_parts_that_no_worker_has_the_memory_for():
    class Lacking:
        calls = 0

        def results(self, *given):
            self.calls += 1
            raise waiting.LostError({GONE})

        def of_memory(self, addresses):
            return f"{', '.join(addresses)} exceeded the memory"

        def some_worker(self, reason):
            assert reason == f"{GONE} exceeded the memory"
            return {"tcp://127.0.0.1:2": 1}

    fleet = fleet_room.DaskFleet.__new__(fleet_room.DaskFleet)
    fleet.watch, fleet.pinned, fleet.groups, fleet.addresses = Lacking(), [], [], []
    with pytest.raises(MemoryError, match=f"loading the parts: {GONE} exceeded the memory"):
        fleet.facts()
    assert fleet.watch.calls == fleet_room.MAX_LACKS
