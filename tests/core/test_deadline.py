"""The deadline of a block: nested, lifted, and seen by loops."""

import threading
import time

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.core.deadline import (
    TimeIsUpError,
    check_time,
    ends_with,
    ends_within,
    without_deadline,
)
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.factors import conjugate_gradients


def test_without_a_deadline_time_is_never_up():
    check_time()
    with ends_within(None) as deadline:
        assert deadline == np.inf
        check_time()


def test_the_earlier_of_two_deadlines_counts():
    with ends_within(1e-9) as deadline, ends_within(60.0) as inner:
        assert inner == deadline
        with pytest.raises(TimeIsUpError):
            check_time()
        with without_deadline():
            check_time()
    with ends_within(60.0) as deadline, ends_within(30.0) as inner:
        assert inner < deadline
        check_time()
    check_time()


@pytest.mark.parametrize("sparse", [False, True])
def test_matrices_and_their_products_look_at_the_clock(sparse):
    X = np.random.default_rng(0).normal(size=(50, 4))
    rows = Problem.from_arrays(X, np.ones(50), bias=1.0 if sparse else -1.0).rows
    hessian = Hessian(rows, np.ones(50))
    with ends_within(0.0):
        with pytest.raises(TimeIsUpError):
            hessian.matrix()
        with pytest.raises(TimeIsUpError):
            conjugate_gradients(hessian.product, np.copy, np.ones(rows.width), 0.1, 9)
    whole = np.hstack([X, np.ones((50, 1))]) if sparse else X
    np.testing.assert_allclose(hessian.matrix(), whole.T @ whole)


def test_a_sparse_matrix_is_summed_in_pieces_with_the_same_sum():
    # more multiplications than between two looks at the clock
    X = np.random.default_rng(0).normal(size=(4000, 300))
    rows = Problem.from_arrays(csr_array((X.ravel(), *places(4000, 300)), (4000, 1600)), X[:, 0])
    hessian = Hessian(rows.rows, np.ones(4000))
    begin = time.perf_counter()
    matrix = hessian.matrix()
    seconds = time.perf_counter() - begin
    np.testing.assert_allclose(matrix[:300, :300], X.T @ X, atol=1e-9)
    assert not matrix[300:].any()
    with ends_within(seconds / 100), pytest.raises(TimeIsUpError):
        hessian.matrix()


def places(n, d):
    return np.tile(np.arange(d), n), np.arange(n + 1) * d


def test_an_event_ends_the_block_too():
    event = threading.Event()
    with ends_with(event):
        check_time()
        event.set()
        with pytest.raises(TimeIsUpError), without_deadline():
            check_time()
    check_time()
