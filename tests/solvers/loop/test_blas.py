"""Linear algebra on one thread, from the first block that begins to the last that ends."""

import threading

import threadpoolctl

from rrmlinear.solvers.loop.blas import one_blas_thread


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
