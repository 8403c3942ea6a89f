"""The laws of a loss of all scores, over all of them."""

import numpy as np
import pytest
from scipy.special import logsumexp

from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.losses.multiclass import (
    CrammerSinger,
    SmoothCrammerSinger,
    Softmax,
    SoftmaxOfHinge,
    WestonWatkins,
)

LOSSES = {
    "weston-watkins": WestonWatkins(),
    "smooth-weston-watkins": WestonWatkins(0.3),
    "crammer-singer": CrammerSinger(),
    "smooth-crammer-singer": SmoothCrammerSinger(0.3),
    "very-smooth-crammer-singer": SmoothCrammerSinger(20.0),
    "softmax-of-hinge": SoftmaxOfHinge(0.3),
    "sharp-softmax-of-hinge": SoftmaxOfHinge(0.01),
    "softmax": Softmax(),
}
BOXES, KINKED = {"weston-watkins", "smooth-weston-watkins"}, {"weston-watkins", "crammer-singer"}
ENTROPIC = {"softmax-of-hinge": 0.3, "sharp-softmax-of-hinge": 0.01, "softmax": 1.0}
SIZES = [2, 3, 8, 9, 20, 100]


@pytest.fixture(params=LOSSES)
def name(request):
    return request.param


@pytest.fixture(params=SIZES)
def k(request):
    return request.param


class Case:
    """Scores of every size, weights, and dual blocks of every kind: zero, at bounds, at
    derivatives, with few entries and with all.
    """

    def __init__(self, name, k, seed, n=120):
        rng = np.random.default_rng(seed)
        self.loss, self.k, self.n, self.rng = LOSSES[name], k, n, rng
        self.is_box = name in BOXES
        size = rng.choice([0.1, 3.0, 30.0, 1e4], n)
        self.scores = size[:, None] * rng.standard_normal((n, k))
        self.labels = rng.integers(0, k, n)
        self.own = np.arange(n), self.labels
        self.weights = 10 ** rng.uniform(-6, 6, n)
        shares = rng.random((n, k)) * rng.choice([0.1, 1.0, 3.0], (n, 1))
        shares *= rng.random((n, k)) < rng.choice([0.0, 0.3, 1.0], (n, 1))
        self.blocks = self.feasible(shares * self.weights[:, None])
        own = rng.random(n) < 0.3
        self.blocks[own] = (self.derivatives() * self.weights[:, None])[own]

    def feasible(self, blocks):
        """The nearest by clipping and scaling."""
        blocks = np.maximum(blocks, 0.0)
        blocks[self.own] = 0.0
        if self.is_box:
            return np.minimum(blocks, self.weights[:, None])
        total = np.maximum(blocks.sum(axis=1), self.weights)
        return blocks * (self.weights / total * (1 - 1e-15))[:, None]

    def margins(self):
        return self.loss.cost + self.scores - self.scores[self.own][:, None]

    def values(self):
        return self.loss.values(self.scores, self.labels)

    def derivatives(self):
        return self.loss.derivatives(self.scores, self.labels)

    def conjugates(self, blocks):
        return self.loss.conjugates(blocks, self.labels, self.weights)

    def gaps(self, blocks):
        return self.loss.gaps(self.scores, self.labels, blocks, self.weights)

    def linear(self, blocks):
        return (blocks * (self.margins() - self.loss.cost)).sum(axis=1)

    def scale(self):
        """What gaps and dual objectives are compared with, up to rounding."""
        largest = np.abs(self.margins()).max(axis=1)
        return self.weights * self.k * (1 + largest)

    def solved(self, curvatures):
        return self.loss.solve_blocks(
            self.scores, self.labels, self.blocks, curvatures, self.weights
        )

    def objective(self, blocks, curvatures):
        """What a block solution minimizes."""
        move = blocks - self.blocks
        squares = (move**2).sum(axis=1) + move.sum(axis=1) ** 2
        return self.conjugates(blocks) - self.linear(blocks) + curvatures / 2 * squares


def rivals_of(case, name, found, near):
    """Feasible blocks between, beside and far from a block."""
    ends = [case.blocks, case.derivatives() * case.weights[:, None], np.zeros_like(found)]
    for part in (1e-6, 1e-3, 0.1, 0.5, 1.0):
        for end in ends:
            yield found + part * (end - found)
    for size in near:
        noise = case.rng.standard_normal(found.shape) * case.weights[:, None]
        yield case.feasible(found + size * noise)
        yield case.feasible(found * (1 + size * case.rng.standard_normal(found.shape)))


FORMULAS = {
    "weston-watkins": lambda m: np.maximum(m, 0).sum(axis=1),
    "smooth-weston-watkins": lambda m: np.where(
        m >= 0.3, m - 0.15, np.maximum(m, 0) ** 2 / 0.6
    ).sum(axis=1),
    "crammer-singer": lambda m: np.maximum(m.max(axis=1), 0),
    "softmax-of-hinge": lambda m: 0.3 * logsumexp(np.c_[m, np.zeros(len(m))] / 0.3, axis=1),
    "sharp-softmax-of-hinge": lambda m: 0.01 * logsumexp(np.c_[m, np.zeros(len(m))] / 0.01, axis=1),
    "softmax": lambda m: logsumexp(np.c_[m, np.zeros(len(m))], axis=1),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_value_is_the_formula(formula, k):
    case = Case(formula, k, seed=k)
    margins = case.margins()
    margins[case.own] = -np.inf
    expected = FORMULAS[formula](margins)
    np.testing.assert_allclose(case.values(), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("smoothing", [0.3, 20.0])
def test_smooth_value_is_the_best_of_the_simplex(smoothing):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    rng = np.random.default_rng(0)
    for _ in range(5):
        scores = 3 * rng.standard_normal((1, 6))
        margins = 1 + scores[0, 1:] - scores[0, 0]
        u = cp.Variable(5, nonneg=True)
        best = cp.Maximize(margins @ u - smoothing / 2 * cp.sum_squares(u))
        value = cp.Problem(best, [cp.sum(u) <= 1]).solve(solver=cp.CLARABEL)
        loss = SmoothCrammerSinger(smoothing)
        assert loss.values(scores, [0])[0] == pytest.approx(value, abs=1e-7)
        np.testing.assert_allclose(loss.derivatives(scores, [0])[0, 1:], u.value, atol=1e-4)


def test_fenchel_young_holds_with_equality_at_the_derivative(name, k):
    case = Case(name, k, seed=100 + k)
    gaps = case.gaps(case.blocks)
    by_parts = (
        case.weights * case.values() + case.conjugates(case.blocks) - case.linear(case.blocks)
    )
    assert (gaps >= 0).all()
    np.testing.assert_allclose(gaps / case.scale(), by_parts / case.scale(), atol=1e-14)
    own = case.derivatives() * case.weights[:, None]
    assert (case.gaps(own) <= 1e-13 * case.scale()).all()


@pytest.mark.parametrize("smooth", sorted(set(LOSSES) - KINKED))
def test_derivative_is_numeric(smooth, k):
    case = Case(smooth, k, seed=200 + k)
    case.scores = np.clip(case.scores, -3, 3)
    derivative, h = case.derivatives(), 1e-6
    assert (derivative >= 0).all()
    assert (derivative[case.own] == 0).all()
    for j in range(min(k, 12)):
        move = np.zeros(k)
        move[j] = h
        up = case.loss.values(case.scores + move, case.labels)
        down = case.loss.values(case.scores - move, case.labels)
        expected = np.where(case.labels == j, -derivative.sum(axis=1), derivative[:, j])
        np.testing.assert_allclose((up - down) / (2 * h), expected, atol=3e-4)


@pytest.mark.parametrize("kinked", sorted(KINKED))
def test_derivative_at_a_kink_is_a_subgradient(kinked, k):
    case = Case(kinked, k, seed=300 + k)
    case.scores = np.round(np.clip(case.scores, -3, 3))  # margins that tie, and margins of 0
    at, slope = case.values(), case.derivatives()
    assert (slope[case.own] == 0).all()
    before = case.margins()
    for _ in range(20):
        case.scores = case.scores + case.rng.standard_normal(case.scores.shape)
        rise = (slope * (case.margins() - before)).sum(axis=1)
        assert (case.values() >= at + rise - 1e-11).all()


@pytest.mark.parametrize("curvature", [1e-8, 1e-3, 1.0, 1e3, 1e8])
def test_no_feasible_block_is_better_than_the_solution(name, k, curvature):
    case = Case(name, k, seed=400 + k)
    found = case.solved(curvature)
    best = case.objective(found, curvature)
    assert np.isfinite(best).all()
    assert (found >= 0).all()
    assert (found[case.own] == 0).all()
    total = found.max(axis=1) if case.is_box else found.sum(axis=1)
    assert (total <= case.weights * (1 + 1e-14)).all()
    old = np.abs(case.blocks).sum(axis=1) + case.weights
    slack = 1e-14 * (case.scale() + np.abs(best) + curvature * old**2)
    for rival in rivals_of(case, name, found, [1e-6, 1e-3, 0.1, 1.0]):
        assert (best <= case.objective(rival, curvature) + slack).all()


@pytest.mark.parametrize("quadratic", sorted(set(LOSSES) - set(ENTROPIC)))
@pytest.mark.parametrize("size", [2, 3, 9])
def test_block_agrees_with_a_qp_solver(quadratic, size):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    case = Case(quadratic, size, seed=500 + size, n=12)
    case.scores = np.clip(case.scores, -3, 3)
    case.weights = np.full(case.n, 1.5)
    case.blocks = case.feasible(case.rng.random((case.n, size)))
    curvatures = 10 ** case.rng.uniform(-1, 1, case.n)
    found = case.solved(curvatures)
    smoothing = case.loss.smoothing
    for i in range(case.n):
        b = cp.Variable(size, nonneg=True)
        move = b - case.blocks[i]
        squares = cp.sum_squares(move) + cp.square(cp.sum(move))
        objective = curvatures[i] / 2 * squares - b @ case.margins()[i]
        objective += smoothing / 3 * cp.sum_squares(b)
        within = b <= 1.5 if case.is_box else cp.sum(b) <= 1.5
        limits = [within, b[int(case.labels[i])] == 0]
        cp.Problem(cp.Minimize(objective), limits).solve(
            solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
        )
        np.testing.assert_allclose(found[i], b.value, atol=1e-6)


@pytest.mark.parametrize("entropic", ENTROPIC)
def test_block_solves_the_equations_of_its_shares(entropic, k):
    """log p_j + κ (p_j − p⁰_j) = m_j/γ − ρ: the p of each class is right to 1e-12."""
    gamma = ENTROPIC[entropic]
    for exponent in (0, 3, 8):
        case = Case(entropic, k, seed=600 + k)
        curvatures = 10 ** case.rng.uniform(-exponent, exponent, case.n)
        weights = case.weights.astype(np.longdouble)[:, None]
        shares = case.solved(curvatures) / weights
        kappa = curvatures[:, None] * weights / gamma
        alive = shares > 1e-250
        log = np.log(np.where(alive, shares, 1.0))
        level = case.margins() / gamma - log - kappa * (shares - case.blocks / weights)
        slope = np.where(alive, shares / (1 + kappa * shares), 0.0)
        held = slope.sum(axis=1)
        mean = (level * slope).sum(axis=1) / np.maximum(held, 1e-300)
        error = np.abs(level - mean[:, None]) * slope
        assert (held > 1e-250).sum() > case.n / 2
        assert error.max() <= 1e-12


def test_a_class_far_below_counts_for_nothing(name, k):
    case = Case(name, k, seed=900 + k)
    far = np.c_[case.scores, np.full(case.n, -1e9)]
    none = np.zeros((case.n, 1))
    blocks = np.hstack([case.blocks, none])
    arguments = case.labels, blocks, 0.7, case.weights
    found = case.loss.solve_blocks(far, *arguments)
    expected = np.hstack([case.solved(0.7), none])
    weights = case.weights[:, None]
    np.testing.assert_allclose(found / weights, expected / weights, atol=1e-12)
    np.testing.assert_allclose(
        case.loss.values(far, case.labels), case.values(), rtol=1e-13, atol=1e-300
    )


def test_a_weight_of_zero_has_no_dual_and_no_gap(name):
    case = Case(name, 5, seed=1)
    case.weights, case.blocks = np.zeros(case.n), np.zeros((case.n, 5))
    assert (case.solved(1.0) == 0).all()
    assert (case.gaps(case.blocks) == 0).all()
    assert (case.conjugates(case.blocks) == 0).all()


@pytest.mark.parametrize("simplex", sorted(set(LOSSES) - BOXES))
def test_conjugate_is_infinite_outside_of_the_simplex(simplex):
    loss = LOSSES[simplex]
    labels = [0, 0, 0, 0]
    blocks = np.array([[0, 0.5, 0.6], [0, -1e-9, 0.5], [0, 1, 1e-15], [0, 0, 0]])
    assert np.isfinite(loss.conjugates(blocks, labels)).tolist() == [False, False, True, True]


def test_confined_blocks_are_feasible_and_stay(name, k):
    case = Case(name, k, seed=950 + k)
    wild = 2 * case.rng.standard_normal(case.blocks.shape) * case.weights[:, None]
    wild[case.own] = 0.0
    confined = case.loss.confined(wild, case.labels, case.weights)
    assert np.isfinite(case.conjugates(confined)).all()
    assert (confined[wild <= 0] == 0).all()
    assert (confined <= case.weights[:, None]).all()
    assert (confined.max(axis=1) > 0).sum() > case.n / 4
    again = case.loss.confined(case.blocks, case.labels, case.weights)
    np.testing.assert_allclose(again, case.blocks, rtol=1e-14)


def test_lipschitz_bounds_the_derivative(name, k):
    case = Case(name, k, seed=1000 + k)
    length = np.linalg.norm(case.derivatives(), axis=1)
    assert length.max() <= case.loss.lipschitz(k) * (1 + 1e-12)
    assert length.max() >= 0.5 * case.loss.lipschitz(k)


def test_smoothing_is_a_modulus_of_the_conjugate(name, k):
    case = Case(name, k, seed=1100 + k)
    a, b = case.blocks, case.derivatives() * case.weights[:, None]
    ends = (case.conjugates(a) + case.conjugates(b)) / 2
    bend = case.loss.smoothing / (8 * case.weights) * ((a - b) ** 2).sum(axis=1)
    slack = 1e-14 * case.scale()
    assert (ends - case.conjugates((a + b) / 2) - bend >= -slack).all()
    assert (case.loss.smoothing > 0) == (name not in KINKED)


@pytest.mark.parametrize("kinked", sorted(KINKED))
def test_smoothed_is_below_by_no_more_than_stated(kinked, k):
    case = Case(kinked, k, seed=1200 + k)
    exact, smooth = case.loss, case.loss.smoothed(0.05)
    below = case.values() - smooth.values(case.scores, case.labels)
    rounding = 1e-14 * (1 + np.abs(case.values()))
    assert smooth.smoothing == 0.05
    assert (below >= -rounding).all()
    assert (below <= 0.05 / 2 * exact.lipschitz(k) ** 2 + rounding).all()
    added = smooth.conjugates(case.blocks, case.labels, case.weights) - case.conjugates(case.blocks)
    expected = 0.05 / (2 * case.weights) * (case.blocks**2).sum(axis=1)
    np.testing.assert_allclose(added / case.weights, expected / case.weights, atol=1e-13)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WestonWatkins(-0.1), "smoothing must be at least 0"),
        (lambda: SmoothCrammerSinger(0), "smoothing must be positive"),
        (lambda: SoftmaxOfHinge(float("inf")), "smoothing must be positive"),
        (lambda: CrammerSinger().smoothed(0.0), "smoothing must be positive"),
        (lambda: Softmax().values(np.zeros((2, 3)), [0, 3]), "labels must be classes 0 to 2"),
        (lambda: Softmax().values(np.zeros(3), [0]), "scores must be n × k and labels n"),
        (lambda: Softmax().gaps(np.zeros((1, 3)), [0], np.zeros((1, 2))), "blocks must be"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_loss_that_offers_no_smoothing_says_so():
    with pytest.raises(TypeError, match="BlockLoss cannot be smoothed"):
        BlockLoss().smoothed(0.1)
