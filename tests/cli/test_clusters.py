"""`train --dask`, over processes of this machine."""

import pytest

from rrmlinear import Model, Problem, read_libsvm, write_container

pytest.importorskip("distributed", reason="--dask needs dask.distributed")


def test_training_over_local_processes(train, folder, iris):
    problem = read_libsvm(iris)
    write_container(folder / "iris.rrm", problem)
    options = ["--loss", "weston-watkins", "-s", "32", "-B", 1, "--gap-tol", "1e-4"]
    done = train(*options, "--dask", "local:2", "iris.rrm", "over.model")
    assert done.code == 0, done.err
    assert "solved after" in done.out
    alone = train(*options, "iris.rrm", "alone.model")
    assert alone.code == 0
    over, one = (Model.load(folder / name) for name in ("over.model", "alone.model"))
    assert (over.labels == one.labels).all()
    with_bias = Problem.open(folder / "iris.rrm").with_bias(1.0)
    assert (over.predict(with_bias) == one.predict(with_bias)).mean() > 0.98


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dask", "local:2", "-v", "3"], "-v has no effect with --dask"),
        (["--dask", "local:2", "--cache"], "--cache has no effect with --dask"),
        (["--mpi", "-v", "3"], "-v has no effect with --mpi"),
        (["--dask", "local:1", "-s", "1", "-e", "0.1"], "-e has no effect over workers: --gap-tol"),
        (["--dask", "nowhere"], "no scheduler answers at nowhere"),
        (
            [
                *("--dask", "local:1", "-s", "auto", "-B", "1", "-R"),
                *("--loss", "hinge", "--regularizer", "l1"),
            ],
            "needs a smooth loss",
        ),
    ],
)
def test_errors_are_sentences(train, iris, options, words):
    done = train(*options, iris, "some.model")
    assert done.code == 1
    assert words in done.err
    assert "Traceback" not in done.err
