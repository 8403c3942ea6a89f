"""Linear algebra on one thread, from the first block that begins to the last that ends."""

import os
import signal
import threading
import time

import pytest
import scipy.linalg  # noqa: F401  (its library too is there from the begin on)
import threadpoolctl

from rrmlinear.core.blas import one_blas_thread


def threads_of_blas():
    libraries = threadpoolctl.threadpool_info()
    return {each["num_threads"] for each in libraries if each["user_api"] == "blas"}


def test_the_limit_holds_while_any_block_runs():
    seen = []

    def other():
        with one_blas_thread():
            seen.append(threads_of_blas())

    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        for _ in range(2):  # the second time the libraries are known
            with one_blas_thread():
                with one_blas_thread():
                    seen.append(threads_of_blas())
                thread = threading.Thread(target=other)
                thread.start()
                thread.join()
                seen.append(threads_of_blas())
            assert threads_of_blas() == {3}
    assert seen == [{1}] * 6


def test_fits_of_two_threads_at_once_leave_the_limit_as_it_was(small_problem, fit):
    problem, results = small_problem(n=60, d=5, k=3).problem(), []

    def fits():
        results.extend(fit(problem, solver="newton", loss="logistic") for _ in range(10))

    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        threads = [threading.Thread(target=fits) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert threads_of_blas() == {3}
    assert len({model.weights.tobytes() for model in results}) == 1
    assert len(results) == 20


def test_a_block_of_another_thread_sets_the_limit_there_too():
    seen = []

    def other():
        with one_blas_thread():
            seen.append(threads_of_blas())
        seen.append(threads_of_blas())

    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        with one_blas_thread():
            pass
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [{1}, {3}]


def test_an_error_in_a_block_restores_the_limit():
    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        with pytest.raises(KeyboardInterrupt), one_blas_thread():
            raise KeyboardInterrupt
        assert threads_of_blas() == {3}


def ends_well_in_child(act, seconds=20):
    """Whether act() ends, and is true, in a child that this thread forks."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if act() else 2
        finally:
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def has_block():
    with one_blas_thread():
        return threads_of_blas() == {1}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_child_forked_while_another_thread_runs_a_block():
    begun, may_end = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            begun.set()
            may_end.wait(30)

    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        thread = threading.Thread(target=other)
        thread.start()
        begun.wait(10)
        # the child has no other thread, and the parent's goes on
        assert ends_well_in_child(
            lambda: threads_of_blas() == {3} and has_block() and threads_of_blas() == {3}
        )
        with one_blas_thread():  # the block of the thread that forks lives in the child
            assert ends_well_in_child(lambda: threads_of_blas() == {1} and has_block())
        assert threads_of_blas() == {1}
        may_end.set()
        thread.join()
        assert threads_of_blas() == {3}
