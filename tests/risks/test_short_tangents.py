"""Tangents by a copy of 16 bits a value: those of the rounded values, near those of the rows."""

import numpy as np
import pytest

from rrmlinear.data.array_rows import rows_of
from rrmlinear.losses.logistic import Logistic
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.risks.short.tangents import ShortTangents
from rrmlinear.risks.tangents import tangent


def problem_of(n, d, dtype=np.float64):
    rng = np.random.default_rng(n + d)
    lengths, centre = 10.0 ** rng.uniform(-5, 5, d), rng.standard_normal(d)
    X = ((rng.standard_normal((n, d)) + centre) * lengths).astype(dtype)
    return X, rng.choice([-1.0, 1.0], n), rng.integers(0, 3, n) + 0.5, centre * lengths, lengths


def rounded(X, centre, lengths):
    """The values of the copy, by its definition."""
    values = (X - centre) / lengths
    units = np.abs(values).max(axis=1, keepdims=True) / 32767
    return np.rint(values / units) * units


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(1, 3), (7, 1), (129, 32), (501, 37), (6000, 90)])
@pytest.mark.parametrize("threads", [1, 2])
def test_it_is_the_tangent_of_rounded_values(dtype, n, d, threads):
    X, y, costs, centre, lengths = problem_of(n, d, dtype)
    risk = ScalarRisk(rows_of(X), Logistic(), y, costs, threads)
    short = ShortTangents(risk, centre, lengths)
    values = rounded(X.astype(float), centre.astype(dtype), lengths)
    taken = short.taken(np.arange(n))
    # a value halfway between two numbers goes to either one
    unit = np.abs(values).max(axis=1, keepdims=True) / 32767
    assert (np.abs(taken - values) <= 1.1 * unit).all()
    assert np.mean(np.abs(taken - values) > 1e-4 * unit + 1e-6 * np.abs(values)) < 0.02
    w, b = np.random.default_rng(0).standard_normal(d) / lengths / np.sqrt(d), 0.7
    near = taken * lengths + centre
    other = ScalarRisk(rows_of(near), Logistic(), y, costs, 1)
    expected = tangent(other, w, b, True)
    found = total, scores, alphas, curvatures, sums, slopes = short.tangent(w, b, True)
    assert total == pytest.approx(expected[0], rel=1e-5)
    for one, two in zip((scores, alphas, curvatures), expected[1:4], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-4)
    for one, two in zip((sums, slopes), expected[4:], strict=True):
        np.testing.assert_allclose(one / lengths, two / lengths, rtol=1e-4, atol=1e-5 * n)
    repeated = short.tangent(w, b, True)
    assert all(np.array_equal(one, two) for one, two in zip(repeated, found, strict=True))
    fewer = short.tangent(w, b, False)
    assert fewer[3] is fewer[5] is None
    assert np.array_equal(fewer[4], sums)
    exact = tangent(risk, w, b, True)
    np.testing.assert_allclose(scores, exact[1], atol=2e-3)
    np.testing.assert_allclose(sums / lengths, exact[4] / lengths, atol=2e-3 * n)


def test_an_appended_column_is_exact_and_an_intercept_has_none():
    X, y, costs, centre, lengths = problem_of(50, 4)
    rows, w = rows_of(X).with_bias(2.0), np.append(1 / lengths, 0.3)
    short = ShortTangents(ScalarRisk(rows, Logistic(), y, costs), centre, lengths)
    found = short.tangent(w, 0.0, True)
    np.testing.assert_allclose(found[1], X @ w[:4] + 2 * w[4], atol=1e-3)
    assert found[4][4] == pytest.approx(2 * costs @ found[2])
    assert found[5][4] == pytest.approx(2 * costs @ found[3])
    free = ScalarRisk(rows, Logistic(), y, costs, 1, Intercept())
    assert len(ShortTangents(free, centre, lengths).tangent(w[:4], 0.5, True)[4]) == 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("bias", "condition"), [(-1.0, None), (2.0, None), (2.0, Intercept())])
def test_its_sizes_bound_sums_of_squares_without_the_rows(bias, condition, dtype):
    X, y, costs, centre, lengths = problem_of(129, 37, dtype)
    risk = ScalarRisk(rows_of(X).with_bias(bias), Logistic(), y, costs, 1, condition)
    between, beside, far = ShortTangents(risk, centre, lengths).sizes()
    assert len(between) == len(beside) == risk.shape[0]
    rng = np.random.default_rng(1)
    values = np.c_[X.astype(float), np.full(129, bias)][:, : risk.shape[0]]
    largest = np.abs((X - centre) / lengths).max(axis=1)
    np.testing.assert_allclose(far, largest**2, rtol=1e-3)
    alone = np.eye(129)[largest.argmax()]
    for shares in (costs, rng.random(129), alone):
        exact, bound = shares @ values**2, shares.sum() * between + (shares @ far) * beside
        assert (exact <= bound).all()


@pytest.mark.parametrize("value", [1e60, -1e60])
def test_values_out_of_range_are_refused(value):
    X, y, costs, centre, lengths = problem_of(30, 5)
    X[3, 2] = value
    with pytest.raises(FloatingPointError):
        ShortTangents(ScalarRisk(rows_of(X), Logistic(), y, costs), centre, lengths)


def test_rows_at_the_centre_are_zero():
    X, y, costs, centre, lengths = problem_of(30, 5)
    X[4] = centre
    short = ShortTangents(ScalarRisk(rows_of(X), Logistic(), y, costs), centre, lengths)
    assert (short.taken(np.array([4])) == 0).all()


def gram_of(short, chosen, roots):
    found = short.gram(chosen, roots)
    if found is None:
        pytest.skip("this processor has no instructions that sum products of bytes")
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("n", "d"), [(1, 3), (7, 1), (515, 14), (513, 15), (600, 16), (1500, 31), (700, 32), (601, 95)]
)
def test_its_gram_matrix_is_that_of_bytes(dtype, n, d):
    X, y, costs, centre, lengths = problem_of(n, d, dtype)
    short = ShortTangents(ScalarRisk(rows_of(X), Logistic(), y, costs), centre, lengths)
    chosen = np.random.default_rng(1).permutation(n)[: 1 + 3 * n // 4].astype(np.int64)
    roots = np.sqrt(costs[chosen])
    gram, norms = gram_of(short, chosen, roots)
    z = roots[:, np.newaxis] * np.c_[short.taken(chosen), np.ones(len(chosen))].astype(float)
    unit = np.abs(z).max() / 127
    numbers = np.rint(z / unit)
    # the largest number of a row is 32 767 or 32 768 units, and one in 1 000 is halfway
    bytes_of = unit**2 * numbers.T @ numbers
    assert np.abs(gram - bytes_of).max() <= 2e-3 * unit**2 * 127 * np.abs(numbers).sum(axis=0).max()
    assert np.array_equal(gram, gram.T)
    np.testing.assert_allclose(norms, (z[:, :-1] ** 2).sum(axis=1), rtol=1e-4)
    assert np.abs(gram - z.T @ z).max() <= unit * np.abs(z).sum(axis=0).max()


def test_columns_that_bytes_cannot_tell_leave_no_gram_matrix():
    X, y, costs, centre, lengths = problem_of(600, 20)
    risk = ScalarRisk(rows_of(X), Logistic(), y, costs)
    short = ShortTangents(risk, centre, lengths)
    chosen, roots = np.arange(600), np.ones(600)
    gram_of(short, chosen, roots)
    assert short.gram(chosen, np.zeros(600)) is None
    assert short.gram(chosen, np.where(chosen == 3, 1e4, 1.0)) is None
    longer = np.where(np.arange(20) == 7, 1e3, 1.0) * lengths
    assert ShortTangents(risk, centre, longer).gram(chosen, roots) is None
    X[3] = centre + 1e3 * lengths * np.eye(20)[4]
    short = ShortTangents(ScalarRisk(rows_of(X), Logistic(), y, costs), centre, lengths)
    assert short.gram(chosen, roots) is None
