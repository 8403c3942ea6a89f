"""The problem on which BMRM needs 1/(2λε) planes: its gaps, known exactly.

J(w) = max(0, max_i ⟨a_i, w⟩) + (λ/2)‖w‖² with orthonormal a_i: d/2 columns of the paper's matrix
(1/√d) (H, −H; −H, H), H the Hadamard matrix of order d/2. The other columns of that matrix are the
negatives of these, not orthogonal to them as the paper takes them to be; the plane 0 stands for
them, which is what the proof of theorem 6 needs of them: J ≥ 0 = J(0).
"""

import numpy as np
import pytest
from largest_plane import LargestPlane
from scipy.linalg import hadamard

from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task


def printed_planes(d):
    """The columns a_i of the paper's matrix, as rows."""
    H = hadamard(d // 2)
    return np.block([[H, -H], [-H, H]]).T / np.sqrt(d)


def run(planes, lam, update, passes):
    """λ times the problem has F/λ, so planes are divided by λ; values come back times λ."""
    solver = BMRM(Task.of(LargestPlane(planes / lam), L2(), line_search="none"), update=update)
    at_minima, gaps = [], []

    def look(row):
        w = solver.model.w
        at_minima.append(max(0, (planes @ w).max()) + lam / 2 * w @ w)
        gaps.append(lam * row.gap)

    result = solver.solve(Stopping(gap_tol=1e-300, max_passes=passes), look)
    return result, np.array(gaps), np.array(at_minima)


@pytest.mark.parametrize("update", ["qp", "ls"])
@pytest.mark.parametrize("lam", [1.0, 1e-3, 7.0])
@pytest.mark.parametrize("d", [8, 64, 512])
def test_gaps_of_theorems_6_and_7(d, lam, update):
    planes = np.r_[printed_planes(d)[: d // 2], np.zeros((1, d))]
    np.testing.assert_array_equal(np.round(planes[:-1] @ planes[:-1].T, 12), np.eye(d // 2))
    t = np.arange(1, d // 2)
    result, gaps, at_minima = run(planes, lam, update, len(t))
    assert result.status is Status.PASS_LIMIT
    # ε_t = min J − J_t(w_t), the least J being that of the start, w = 0, which is the minimum
    np.testing.assert_allclose(gaps, 1 / (2 * lam * t), rtol=1e-12)
    # δ_t = min J(w_t') − J*, where J* = J(0) = 0
    np.testing.assert_allclose(np.minimum.accumulate(at_minima), 1 / (2 * lam * t), rtol=1e-12)
