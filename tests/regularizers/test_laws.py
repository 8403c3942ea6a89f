"""The laws of regularizers, each held against every one of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.regularizers import REGULARIZERS, build_regularizer
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.bounded import Bounded, ElasticBall, Unpenalized
from rrmlinear.regularizers.groups.group_norms import (
    ExclusiveLasso,
    L2Groups,
    LinfGroups,
    SparseGroups,
)
from rrmlinear.regularizers.groups.of_norm import NormBall, NormPower
from rrmlinear.regularizers.prox_jacobians import prox_jacobian
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.regularizers.spectral import Spectral, TraceNorm, UnpenalizedSpectral

D = 12
SCALES = [1e-9, 1e-3, 1.0, 1e3, 1e9]
# Unequal sizes, single coordinates, neighbours or not.
SCATTERED = [[3], [0, 5, 7, 11], [1, 2], [4, 6, 8, 9, 10]]
NUMBERS = [4, 4, 4, 7, 9, 9, 9, 9, 9, 12, 12, 12]
FACTORS = [0.5, 2.0, 1.0, 3.0]


def group_sum(groups, factors, order):
    def value(w):
        return sum(f * np.linalg.norm(w[g], order) for g, f in zip(groups, factors, strict=True))

    return value


def roots(groups):
    return [np.sqrt(len(group)) for group in groups]


ALL = [list(range(D))]
ROWS = [list(range(j, j + 3)) for j in range(0, D, 3)]
STRETCHES = [[j for j in range(D) if NUMBERS[j] == number] for number in (4, 7, 9, 12)]
group_lasso = group_sum(SCATTERED, roots(SCATTERED), 2)
SPARSE = SparseGroups(SCATTERED, l1=0.6)


def sparse_value(w):
    return 0.6 * np.abs(w).sum() + group_lasso(w)


def within(size, radius):
    return lambda w: 0.0 if size(w) <= radius * (1 + 1e-12) else np.inf


def bounded(inside, low, high):
    return lambda w: inside(w) if ((low <= w) & (w <= high)).all() else np.inf


def without(value, columns, limit):
    def rest(w):
        w = w.copy()
        free, w[columns] = np.abs(w[columns]).max(), 0
        return value(w) if free <= limit else np.inf

    return rest


def singular_values(w):
    return np.linalg.svd(w.reshape(4, 3), compute_uv=False)


LOW = np.where(np.arange(D) % 3 == 0, -0.5, -np.inf)
HIGH = np.where(np.arange(D) % 4 == 0, 1.5, np.inf)
WEIGHTS = 0.25 * (1 + np.arange(D) % 5 + np.arange(D))


@dataclass(frozen=True)
class Member:
    """A regularizer of D weights, and its value written plainly."""

    name: str
    omega: Regularizer
    value: Any


MEMBERS = [
    Member("l2", L2(2.0), lambda w: w @ w),
    Member("elastic net", ElasticNet(0.3, 2.0), lambda w: w @ w + 0.3 * np.abs(w).sum()),
    Member("l1", L1(0.7), lambda w: 0.7 * np.abs(w).sum()),
    Member(
        "elastic ball",
        ElasticBall(0.4, 2.0),
        within(lambda w: 0.4 * np.abs(w).sum() + w @ w / 2, 2.0),
    ),
    Member("l2 norm", L2Groups(), np.linalg.norm),
    Member("linf", LinfGroups(), lambda w: np.abs(w).max()),
    Member("3 linf", LinfGroups(factors=3.0), lambda w: 3 * np.abs(w).max()),
    Member("group lasso", L2Groups(SCATTERED), group_sum(SCATTERED, roots(SCATTERED), 2)),
    Member("stretches", L2Groups(NUMBERS), group_sum(STRETCHES, roots(STRETCHES), 2)),
    Member("weighed", L2Groups(SCATTERED, FACTORS), group_sum(SCATTERED, FACTORS, 2)),
    Member("linf groups", LinfGroups(SCATTERED, FACTORS), group_sum(SCATTERED, FACTORS, np.inf)),
    Member("l21", L2Groups("rows").over((4, 3)), group_sum(ROWS, [1] * 4, 2)),
    Member("l1inf", LinfGroups("rows").over((4, 3)), group_sum(ROWS, [1] * 4, np.inf)),
    Member("sparse groups", SPARSE, sparse_value),
    Member(
        "sparse groups with l1 = 0",
        SparseGroups(NUMBERS, 2.0, l1=0),
        group_sum(STRETCHES, [2] * 4, 2),
    ),
    Member(
        "exclusive lasso",
        ExclusiveLasso(SCATTERED, FACTORS),
        lambda w: sum(f * np.abs(w[g]).sum() ** 2 for g, f in zip(SCATTERED, FACTORS, strict=True)),
    ),
    Member("squared l1", ExclusiveLasso(), lambda w: np.abs(w).sum() ** 2),
    Member("l1 squared", NormPower(L1(2.0)), lambda w: 4 * np.abs(w).sum() ** 2),
    Member("linf squared", NormPower(LinfGroups()), lambda w: np.abs(w).max() ** 2),
    Member("l2 squared", NormPower(L2Groups()), lambda w: w @ w),
    Member("squared group norm", NormPower(L2Groups(SCATTERED)), lambda w: group_lasso(w) ** 2),
    Member("sparse groups squared", NormPower(SPARSE), lambda w: sparse_value(w) ** 2),
    Member("group lasso cubed", NormPower(L2Groups(SCATTERED), 3), lambda w: group_lasso(w) ** 3),
    Member("linf to 1.5", NormPower(LinfGroups(), 1.5), lambda w: np.abs(w).max() ** 1.5),
    Member("l1 ball", NormBall(L1(0.5), 1.0), within(lambda w: np.abs(w).sum(), 2.0)),
    Member("l2 ball", NormBall(L2Groups(), 0.5), within(np.linalg.norm, 0.5)),
    Member("linf ball", NormBall(LinfGroups(), 2.0), within(lambda w: np.abs(w).max(), 2.0)),
    Member("group ball", NormBall(L2Groups(SCATTERED), 3.0), within(group_lasso, 3.0)),
    Member("sparse group ball", NormBall(SPARSE, 3.0), within(sparse_value, 3.0)),
    Member("trace norm", TraceNorm(1.5).over((4, 3)), lambda w: 1.5 * singular_values(w).sum()),
    Member(
        "trace ball",
        Spectral(NormBall(L1(1.0), 2.0)).over((4, 3)),
        within(lambda w: singular_values(w).sum(), 2.0),
    ),
    Member(
        "operator norm", Spectral(LinfGroups()).over((4, 3)), lambda w: singular_values(w).max()
    ),
    Member(
        "nonnegative l1",
        Bounded(L1(0.7), 0.0),
        bounded(lambda w: 0.7 * np.abs(w).sum(), 0.0, np.inf),
    ),
    Member("box", Bounded(L2(2.0), LOW, HIGH), bounded(lambda w: w @ w, LOW, HIGH)),
    Member(
        "l2 with factors",
        Bounded(L2(2.0), factors=1 + np.arange(D)),
        lambda w: w**2 @ (1 + np.arange(D)),
    ),
    Member(
        "l1 with factors", Bounded(L1(0.7), factors=WEIGHTS), lambda w: 0.7 * WEIGHTS @ np.abs(w)
    ),
    Member(
        "elastic net with bounds, factors and free columns",
        Bounded(ElasticNet(0.3, 2.0), LOW, HIGH, np.where(WEIGHTS > 2, 0.0, WEIGHTS), 3.0),
        bounded(
            lambda w: np.where(WEIGHTS > 2, 0.0, WEIGHTS) @ (w * w + 0.3 * np.abs(w)),
            np.where(WEIGHTS > 2, np.maximum(LOW, -3.0), LOW),
            np.where(WEIGHTS > 2, np.minimum(HIGH, 3.0), HIGH),
        ),
    ),
    Member(
        "bounded l1", Bounded(L1(0.7), LOW, HIGH), bounded(lambda w: 0.7 * abs(w).sum(), LOW, HIGH)
    ),
    Member(
        "positive elastic net",
        Bounded(ElasticNet(0.3, 2.0), 0.25, 3.0),
        bounded(lambda w: w @ w + 0.3 * np.abs(w).sum(), 0.25, 3.0),
    ),
    Member(
        "l1 without columns",
        Unpenalized(L1(0.7), [3, 8], 5.0).over((D,)),
        without(lambda w: 0.7 * np.abs(w).sum(), [3, 8], 5.0),
    ),
    Member(
        "group lasso without columns",
        Unpenalized(L2Groups(SCATTERED), [5, 3, 0], 5.0).over((D,)),
        without(group_lasso, [5, 3, 0], 5.0),
    ),
    Member(
        "l21 without a row",
        Unpenalized(L2Groups("rows"), [1], 5.0).over((4, 3)),
        without(group_sum(ROWS, [1] * 4, 2), [3, 4, 5], 5.0),
    ),
    Member(
        "trace norm without a row",
        UnpenalizedSpectral(TraceNorm(1.5), [1], 5.0).over((4, 3)),
        without(lambda w: 1.5 * singular_values(w).sum(), [3, 4, 5], 5.0),
    ),
]


def test_every_class_of_the_table_is_a_member():
    given = {"l1": 0.5, "groups": NUMBERS, "radius": 2.0}
    for row in REGULARIZERS.values():
        chosen = [{}, {"radius": 2.0}] if row.radius and "radius" not in row.takes else [{}]
        for more in chosen:
            numbers = {name: given[name] for name in row.needed} | more
            omega = build_regularizer(row, Choices(**numbers))
            assert type(omega) in {type(member.omega) for member in MEMBERS}, row.name


members = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


def vectors(scale, seed=0):
    """Normal, with ties and zeros, of wide range, and zero."""
    rng = np.random.default_rng(seed)
    yield rng.normal(size=D) * scale
    yield rng.integers(-2, 3, D) * scale
    yield rng.standard_cauchy(D) * 10.0 ** rng.integers(-4, 4, D) * scale
    yield np.where(np.arange(D) == 7, scale, 0.0)
    yield np.zeros(D)


@members
@pytest.mark.parametrize("scale", SCALES)
def test_values_are_those_of_the_formula(member, scale):
    for w in vectors(scale):
        assert member.omega.value_of(w) == pytest.approx(member.value(w), rel=1e-12)


@members
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("step", [1e-9, 0.1, 1.0, 1e9])
def test_the_prox_is_optimal_by_its_dual(member, scale, step):
    # p is the prox of step Ω at w if and only if Ω(p) + Ω*(v) = ⟨v, p⟩ at v = (w − p)/step
    omega = member.omega
    for w in vectors(scale):
        p = omega.prox_of(w, step)
        v = (w - p) / step
        rounding = 1e-15 * np.abs(w).max() / step  # of w − p, against factors of 0.3 at least
        t = omega.dual_scale_of(v)
        assert t >= 1 - 1e-11 - 100 * rounding
        excess = omega.value_of(p) + omega.conjugate_of(t * v) - v @ p
        size = abs(v @ p) + np.abs(v).max() * np.abs(p).max() + abs(omega.value_of(p))
        assert abs(excess) <= (1e-10 + 1 - t) * size + 1e3 * rounding * np.abs(p).sum()


@members
def test_no_other_point_is_below_the_prox(member):
    omega, rng = member.omega, np.random.default_rng(5)
    for w in vectors(1.0):
        p = omega.prox_of(w, 0.4)
        least = (p - w) @ (p - w) / 2 + 0.4 * omega.value_of(p)
        for size in (1e-6, 1e-3, 1.0):
            for _ in range(50):
                u = p + size * rng.normal(size=D) * (rng.random(D) < 0.5)
                assert (u - w) @ (u - w) / 2 + 0.4 * omega.value_of(u) >= least - 1e-14 * (
                    1 + w @ w
                )


@members
@pytest.mark.parametrize("scale", SCALES)
def test_fenchel_and_young(member, scale):
    omega = member.omega
    for w, v in zip(vectors(scale, 1), vectors(1.0, 2), strict=True):
        v = v * omega.dual_scale_of(v)
        total = omega.value_of(w) + omega.conjugate_of(v)
        assert total >= v @ w - 1e-12 * np.abs(v).max() * np.abs(w).max()
        w = omega.prox_of(w, 1.0)  # of its domain
        size = np.abs(v).max() * np.abs(w).max() + abs(omega.value_of(w))
        assert omega.value_of(w) + omega.conjugate_of(v) >= v @ w - 1e-12 * size


@members
@pytest.mark.parametrize("scale", SCALES)
def test_duals_are_scaled_into_the_domain_and_no_more(member, scale):
    omega = member.omega
    for v in vectors(scale):
        t = omega.dual_scale_of(v)
        assert 0 < t <= 1
        assert np.isfinite(omega.conjugate_of(t * v))
        assert t == 1 or omega.conjugate_of(t * (1 + 1e-11) * v) == np.inf


@members
def test_the_slope_is_the_derivative_from_the_right(member):
    omega = member.omega
    if np.isnan(omega.derivative_of(np.ones(D), np.ones(D))):
        assert isinstance(omega, ElasticBall | NormBall | Spectral)
        return
    normal, ties, _, single, zero = vectors(1.0, 3)
    for w in (normal, ties, single, zero):
        for d in (-w, *list(vectors(1.0, 4))[:2], single):
            w = omega.prox_of(w, 0.0)  # where bounds allow it
            if np.isinf(omega.value_of(w + 1e-9 * d)):
                assert omega.derivative_of(w, d) == np.inf
                continue
            rise = (omega.value_of(w + 1e-9 * d) - omega.value_of(w)) / 1e-9
            assert rise == pytest.approx(omega.derivative_of(w, d), rel=1e-5, abs=2e-4)


def test_no_square_is_lost_or_too_large():
    for scale in (1e-200, 1e200):
        w = np.array([3.0, 4.0, 0.0]) * scale
        for omega in (L2Groups(), L2Groups([1, 1, 2], 1.0), SparseGroups(l1=0.0)):
            assert omega.value_of(w) == pytest.approx(5 * scale, rel=1e-15)
            np.testing.assert_allclose(omega.prox_of(w, scale), 0.8 * w, rtol=1e-14)
            assert omega.dual_norm_of(w) == pytest.approx(5 * scale, rel=1e-14)


@pytest.mark.parametrize("omega", [L2Groups(), LinfGroups(), SparseGroups(), L2Groups([0, 1, 0])])
def test_what_is_not_a_number_stays_so(omega):
    w = np.array([1.0, np.nan, 2.0])
    assert np.isnan(omega.value_of(w))
    assert np.isnan(omega.prox_of(w, 0.1)).any()
    assert omega.conjugate_of(w) == np.inf


@pytest.mark.parametrize("omega", [L2(), L2(2.5), ElasticNet(0.3, 4.0)])
def test_a_further_quadratic_adds_its_square(omega):
    more, w = omega.with_quadratic(1.5), np.array([0.5, -2.0, 0.0])
    assert more.value_of(w) == pytest.approx(omega.value_of(w) + 0.75 * w @ w, rel=1e-15)
    assert more.modulus == omega.modulus + 1.5


def test_groups_of_many_coordinates():
    rng = np.random.default_rng(1)
    w, numbers = rng.normal(size=5000), rng.integers(0, 3, 5000)
    for omega in (LinfGroups(numbers, 1.0), L2Groups(numbers), SparseGroups(numbers)):
        p = omega.prox_of(w, 0.5)
        v = (w - p) / 0.5
        assert omega.dual_norm_of(v) == pytest.approx(1, rel=1e-12)
        assert v @ p == pytest.approx(omega.value_of(p), rel=1e-12)
        assert p.any()


def test_steps_of_zero_and_of_any_size():
    w = np.random.default_rng(2).normal(size=D)
    for member in MEMBERS:
        p = member.omega.prox_of(w, 0.0)
        inside = np.isfinite(member.value(w))
        np.testing.assert_allclose(p, w if inside else member.omega.prox_of(w, 1e-12), atol=1e-10)
        assert np.isfinite(member.omega.value_of(p))
    for omega in (NormBall(L2Groups(SCATTERED), 3.0), NormBall(LinfGroups(), 0.1)):
        np.testing.assert_array_equal(omega.prox_of(w, 1e-3), omega.prox_of(w, 1e3))
        once = omega.prox_of(w, 1.0)
        np.testing.assert_allclose(omega.prox_of(once, 1.0), once, rtol=1e-15)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: L2(0.0), ValueError, "modulus must be positive"),
        (lambda: L2(np.nan), ValueError, "modulus must be positive"),
        (lambda: ElasticNet(-1.0), ValueError, "l1 must be at least 0"),
        (lambda: ElasticNet(np.nan), ValueError, "l1 must be at least 0"),
        (lambda: NormPower(L1(1.0), 1.0), ValueError, "power must be above 1 and finite, got 1.0"),
        (lambda: NormBall(L1(1.0), 0.0), ValueError, "radius must be positive and finite, got 0"),
        (lambda: NormBall(ExclusiveLasso(), 1.0), TypeError, "a norm is needed, got ExclusiveLas"),
        (lambda: NormPower(L2()), TypeError, "a norm is needed, got L2"),
        (lambda: Bounded(L2Groups(), 0.0), TypeError, "bounds stand beside L1, L2 or ElasticNet"),
        (lambda: Bounded(L2(), [0, 1], [1, 2, 3]), ValueError, "2 lower bounds and 3 upper ones"),
        (lambda: Bounded(L2(), np.nan), ValueError, "lower must be a number or one for each"),
        (lambda: Bounded(L2(), [0, 2], 1), ValueError, "no weight of column 1 lies between 2.0"),
        (lambda: Bounded(L2(), [0, 1]).over((3,)), ValueError, "2 lower bounds for 3 columns"),
        (lambda: Unpenalized(Bounded(L1(1.0), 0), [1]), TypeError, "cannot be left alone by Bou"),
        (lambda: Unpenalized(L1(1.0), [1], np.inf), ValueError, "limit must be positive and fin"),
        (lambda: Unpenalized(L1(1.0), [1]).value_of([1.0]), ValueError, "must be told the shape"),
        (lambda: Unpenalized(L1(1.0), [[1]]), ValueError, "unpenalized columns must be a list"),
        (lambda: TraceNorm().value_of(np.ones(4)), ValueError, "TraceNorm must be told the shape"),
        (lambda: TraceNorm().over((4,)), ValueError, "TraceNorm needs several columns of weights"),
        (lambda: TraceNorm().over((4, 2)).prox_of(np.ones(9), 1), ValueError, "over 8 weights, g"),
    ],
)
def test_what_cannot_be_meant_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_bias_is_a_weight_of_its_own():
    b = 3.0
    for omega, w, expected in (
        (L2Groups(), [4.0, 0.0], 5.0),
        (LinfGroups(), [4.0, 0.0], 4.0),
        (ExclusiveLasso([[0, 1]]), [1.0, -1.0], 13.0),
        (NormPower(L2Groups([0, 0], 1.0)), [0.0, 4.0], 49.0),
        (NormBall(L2Groups([0, 0], 1.0), 6.0), [0.0, 4.0], np.inf),
        (Bounded(L1(1.0), -1.0, 1.0), [1.0, -1.0], 5.0),
        (Unpenalized(L1(1.0), [0], 9.0), [5.0, -1.0], 4.0),
    ):
        assert omega.over((3,), intercept=True).value_of([*w, b]) == expected


@members
@pytest.mark.parametrize("scale", [1e-2, 1.0, 10.0])
def test_the_jacobian_of_the_prox_is_its_derivative(member, scale):
    omega, step, rng = member.omega, 0.4, np.random.default_rng(8)
    for w in list(vectors(scale, 7))[:2]:
        w = w + 1e-2 * scale * rng.normal(size=D)  # away from kinks
        jacobian = prox_jacobian(omega, w, step)
        if jacobian.ndim == 1:
            jacobian = np.diag(jacobian)
        np.testing.assert_allclose(jacobian, jacobian.T, atol=1e-12)
        eigenvalues = np.linalg.eigvalsh(jacobian)
        assert -1e-10 <= eigenvalues.min() <= eigenvalues.max() <= 1 + 1e-10
        for d in 1e-6 * scale * np.eye(D):
            rise = omega.prox_of(w + d, step) - omega.prox_of(w - d, step)
            np.testing.assert_allclose(rise / 2, jacobian @ d, atol=1e-10 * scale)
