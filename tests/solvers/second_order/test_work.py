"""What a step of Newton's method is expected to take."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.solvers.second_order.work import Work


@pytest.mark.parametrize(("n", "d"), [(60, 500), (400, 200), (2000, 30)])
@pytest.mark.parametrize("classes", [3, 9, 30])
def test_a_step_beside_kinks_takes_at_most_that_of_a_score_for_each_class(n, d, classes):
    rows = Problem.from_arrays(np.ones((n, d)), np.zeros(n)).rows
    one, several = (Work(rows, k, False, 0.0).step for k in (None, classes))
    assert one < several <= 5 * classes * one  # products in a system of classes lack BLAS's half


@pytest.mark.parametrize("classes", [3, 9])
def test_all_duals_of_smooth_losses_are_in_the_system(classes):
    rows = Problem.from_arrays(np.ones((40, 3000)), np.zeros(40)).rows
    kinked, smooth = (Work(rows, classes, is_smooth, 0.0).step for is_smooth in (False, True))
    assert smooth > kinked


def test_a_step_by_products_takes_no_longer_where_the_matrix_could_have_a_factor():
    X = [csr_array(np.eye(2000, d)) for d in (2900, 3100)]
    few, many = (Work(Problem.from_arrays(x, np.zeros(2000)).rows, None, True, 0.0) for x in X)
    assert few.step <= many.step
