"""`train --dask`, over processes of this machine."""

import signal
import subprocess
import sys

import numpy as np
import pytest

from rrmlinear import Model, Parameter, Problem, fit, read_libsvm, write_container, write_libsvm
from rrmlinear.cli.clusters import workers

pytest.importorskip("distributed", reason="--dask needs dask.distributed")


def test_training_over_local_processes(train, folder, iris):
    problem = read_libsvm(iris)
    write_container(folder / "iris.rrm", problem)
    options = ["--loss", "weston-watkins", "-s", "32", "-B", 1, "--gap-tol", "1e-3"]
    done = train.done(*options, "--dask", "local:2", "iris.rrm", "over.model")
    assert "solved after" in done.out
    train.done(*options, "iris.rrm", "alone.model")
    over, one = (Model.load(folder / name) for name in ("over.model", "alone.model"))
    assert (over.labels == one.labels).all()
    with_bias = Problem.open(folder / "iris.rrm").with_bias(1.0)
    assert (over.predict(with_bias) == one.predict(with_bias)).mean() > 0.98


def test_an_error_of_a_worker_is_one_sentence(folder, iris):
    write_container(folder / "iris.rrm", read_libsvm(iris))
    whole = bytearray((folder / "iris.rrm").read_bytes())
    middle = len(whole) // 2
    whole[middle : middle + 4096] = bytes(byte ^ 1 for byte in whole[middle : middle + 4096])
    (folder / "iris.rrm").write_bytes(whole)
    command = [sys.executable, "-m", "rrmlinear.train", "--dask", "local:1", "-q", "iris.rrm", "m"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert done.returncode != 0
    assert line.startswith("ERROR: ")
    assert "iris.rrm is damaged in block 1 of 1" in line
    assert not (folder / "m").exists()


def test_files_have_offsets_beside_them(train, folder):
    rng = np.random.default_rng(0)
    X, e = rng.normal(size=(200, 3)) / 2, rng.uniform(0.5, 3.0, 200)
    y = rng.poisson(e * np.exp(X[:, 0])).astype(float)
    write_libsvm(folder / "counts", Problem.from_arrays(X, y))
    np.savetxt(folder / "e.txt", e)
    np.savetxt(folder / "short.txt", e[:5])
    given = ("--loss", "poisson", "--gap-tol", 1e-6, "-q")
    assert train(*given, "--exposure", "e.txt", "counts", "one").code == 0
    train.done(*given, "--exposure", "e.txt", "--dask", "local:1", "counts", "over")
    one, over = (Model.load(folder / name).weights for name in ("one", "over"))
    np.testing.assert_allclose(over, one, atol=1e-3)
    short = train(*given, "--exposure", "short.txt", "--dask", "local:1", "counts", "over")
    assert "exposure has shape (5,), but X has 200 rows" in short.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dask", "local:2", "-v", "3"], "-v has no effect with --dask"),
        (["--dask", "local:2", "--cache"], "--cache has no effect with --dask"),
        (["--mpi", "-v", "3"], "-v has no effect with --mpi"),
        (["--dashboard", ":8787"], "--dashboard has no effect without --dask local:n"),
        (
            ["--dask", "tcp://host:8786", "--dashboard", ":8787"],
            "--dashboard has no effect without --dask local:n",
        ),
        (["--dask", "local:2", "--dashboard", "here"], "an address with a port from 0 to 65535"),
        (["--dask", "local:2", "--dashboard", "x:70000"], "such as 127.0.0.1:8787, got x:70000"),
        (["--dask", "local:1", "-s", "1", "-e", "0.1"], "-e has no effect over workers: --gap-tol"),
        (["--dask", "nowhere"], "no scheduler answers at nowhere"),
        (
            [
                *("--dask", "local:1", "-s", "auto", "-B", "1", "-R"),
                *("--loss", "hinge", "--regularizer", "linf"),
            ],
            "needs a smooth loss",
        ),
    ],
)
def test_errors_are_sentences(train, iris, options, words):
    error = train.error(*options, iris, "some.model")
    assert words in error
    assert "Traceback" not in error


def test_processes_listen_on_this_machine_alone():
    psutil = pytest.importorskip("psutil")

    def listening():
        tree = [psutil.Process(), *psutil.Process().children(recursive=True)]
        found = [each for own in tree for each in own.net_connections("inet")]
        return {each.laddr for each in found if each.status == psutil.CONN_LISTEN}

    before = listening()
    with workers.client_of("local:1", None) as client:
        assert sum(client.nthreads().values()) == 1
        assert {ip for ip, _ in listening() - before} == {"127.0.0.1"}


def test_options_of_the_command_come_to_the_workers(train, iris, monkeypatch):
    import contextlib

    import distributed

    import rrmlinear.dask.training

    given = []

    @contextlib.contextmanager
    def cluster(**more):
        given.append(more)
        yield None

    def trained(file, *, parameter, strict, client, **more):
        given.append(strict)
        return fit(read_libsvm(file), Parameter(C=parameter.C))

    monkeypatch.setattr(distributed, "LocalCluster", cluster)
    monkeypatch.setattr(distributed, "Client", contextlib.nullcontext)
    monkeypatch.setattr(rrmlinear.dask.training, "fit", trained)
    options = ["--dask", "local:3", "--dashboard", "127.0.0.1:8787", "--strict", "-q"]
    done = train(*options, iris, "some.model")
    assert (done.code, done.out, done.err) == (0, "", "")
    (how, strict) = given
    assert how["n_workers"] == 3
    assert (how["host"], how["dashboard_address"]) == ("127.0.0.1", "127.0.0.1:8787")
    assert strict is True


def test_a_lack_of_memory_is_a_sentence(train, iris, monkeypatch):
    import contextlib

    import rrmlinear.dask.training

    def trained(file, **more):
        raise MemoryError("loading the parts: tcp://host:1 with 3000 MB exceeded the memory")

    monkeypatch.setattr(workers, "client_of", lambda *given: contextlib.nullcontext())
    monkeypatch.setattr(rrmlinear.dask.training, "fit", trained)
    error = train.error("--dask", "local:1", iris, "some.model")
    assert error.startswith("ERROR: loading the parts: tcp://host:1 with 3000 MB exceeded")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no masks of signals")
def test_ctrl_c_acts_after_the_start_of_workers_and_not_in_them():
    def start():
        with workers.interrupts_withheld():  # what the block starts has its mask
            signal.raise_signal(signal.SIGINT)
            assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])

    with pytest.raises(KeyboardInterrupt):
        start()
