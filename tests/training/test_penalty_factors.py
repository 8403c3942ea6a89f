"""Factors of penalties: columns scaled by them, the optimum of a conic solver, and refusals."""

import numpy as np
import pytest
from members import NUMBERS, labels_in_domain
from scipy.sparse import csr_array

from rrmlinear import LinearClassifier, LinearRegressor, Parameter, PoissonRegressor, Problem, fit
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.solvers import SOLVERS

N, D, S = 60, 6, 0.7
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, D))
SCORES = X @ [1.0, -0.5, 0.0, 0.5, 0.0, 0.3] + 0.3 * RNG.normal(size=N)
FACTORS = np.array([0.5, 2.0, 1.0, 4.0, 0.1, 1.5])
FREE = np.where(np.arange(D) == 1, 0.0, FACTORS)
GROUPS, WEIGHTS = [4, 4, 7, 9, 9, 9], [2.0, 0.0, 0.5]
GROUPED = {"regularizer": "group-lasso", "groups": GROUPS}


def labels_of(loss):
    if LOSSES[loss].kind == "regression":
        return labels_in_domain(loss, SCORES)
    several = LOSSES[loss].kind == "multiclass"
    return np.digitize(SCORES, [-0.5, 0.5] if several else [0.0]).astype(float)


def fitted(loss, data=X, bias=-1.0, **choices):
    given = {"C": 0.3, "gap_tol": 1e-8, "solver": "auto"} | NUMBERS.get(loss, {}) | choices
    if given.get("regularizer", "l2") in ("l1", "elastic-net"):
        given["l1"] = S
    return fit(Problem.from_arrays(data, labels_of(loss), bias=bias), Parameter(loss=loss, **given))


def cases():
    """A few of all losses, regularizers and solvers that take factors, the same each time."""
    found = []
    kinds = ("binary", "multiclass", "regression")
    for loss in (row.name for row in LOSSES.values() if row.kind in kinds):
        for regularizer in ("l2", "l1", "l21"):
            for solver in (n for n, row in SOLVERS.items() if "penalty_factors" in row.choices):
                choices = {"regularizer": regularizer, "penalty_factors": FACTORS}
                try:
                    Parameter(loss=loss, solver=solver, **choices).check()
                except ChoiceError:
                    continue
                found.append((loss, regularizer, solver))
    chosen = np.random.default_rng(1).permutation(len(found))[:60]
    every = [case for case in found if case[2] == "auto"]
    return list(dict.fromkeys([*every, *(found[at] for at in chosen)]))


@pytest.mark.parametrize(("loss", "regularizer", "solver"), cases())
def test_factors_are_scales_of_columns(loss, regularizer, solver):
    # f w² is the square of √f w, f |w| the size of f w
    scales = np.sqrt(FACTORS) if regularizer == "l2" else FACTORS
    how = {"regularizer": regularizer, "solver": solver, "gap_tol": 1e-6}
    model = fitted(loss, penalty_factors=FACTORS, **how)
    twin = fitted(loss, X / scales, **how | {"solver": "auto", "gap_tol": 1e-8})
    assert model.result.solved
    assert twin.result.solved
    least = twin.result.primal
    assert model.result.dual <= least * (1 + 1e-8)
    assert least <= model.result.primal * (1 + 1e-8)
    assert model.result.primal <= least * (1 + 3e-6)


@pytest.mark.parametrize("form", [csr_array, np.asarray, np.asfortranarray])
@pytest.mark.parametrize("loss", ["squared", "logistic", "hinge", "softmax"])
@pytest.mark.parametrize(("regularizer", "power"), [("l2", 0.5), ("l1", 1.0)])
def test_factors_above_0_take_the_passes_of_scaled_columns(form, loss, regularizer, power):
    rng, f = np.random.default_rng(2), np.exp(np.random.default_rng(3).normal(size=150))
    wide = rng.normal(size=(N, 150)) * (rng.random((N, 150)) < 0.3)
    how = {"regularizer": regularizer, "bias": 1.0, "free_bias": True}
    model = fitted(loss, form(wide), penalty_factors=f, **how)
    twin = fitted(loss, form(wide / f**power), **how)
    has_own = (loss, regularizer) == ("squared", "l1") and form is not csr_array
    few, most = sorted((model.result.passes, twin.result.passes))
    # models with fewer curved examples than features, and when they end, are decided by rounding
    assert has_own or few == most or ((loss, regularizer) == ("hinge", "l1") and most <= 2 * few)
    assert model.result.primal == pytest.approx(twin.result.primal, rel=1e-7)
    expected = twin.weights[:-1] / f[:, None] ** power
    differ = (few < most and not has_own) or (loss, power) == ("softmax", 1.0)
    np.testing.assert_allclose(model.weights[:-1], expected, 1e-7, 1e-6 * differ)
    problem = Problem.from_arrays(form(wide), labels_of(loss), bias=1.0)
    warm = fit(problem, model.parameter, start=model)
    assert warm.result.passes <= max(2, model.result.passes // 2)
    assert model.parameter.penalty_factors is f


def test_the_elastic_net_has_the_optimum_of_a_conic_solver():
    cvxpy = pytest.importorskip("cvxpy")
    y = {loss: labels_of(loss) for loss in ("poisson", "squared", "absolute", "logistic")}
    sides = np.where(y["logistic"] == y["logistic"][0], 1, -1)
    risks = {
        "poisson": lambda a: cvxpy.sum(cvxpy.exp(a) - cvxpy.multiply(y["poisson"], a)),
        "squared": lambda a: cvxpy.sum_squares(a - y["squared"]) / 2,
        "absolute": lambda a: cvxpy.norm1(a - y["absolute"]),
        "logistic": lambda a: cvxpy.sum(cvxpy.logistic(cvxpy.multiply(-sides, a))),
    }
    for loss, risk in risks.items():
        w, b = cvxpy.Variable(D), cvxpy.Variable()
        penalty = FREE @ (cvxpy.square(w) / 2 + S * cvxpy.abs(w))
        problem = cvxpy.Problem(cvxpy.Minimize(penalty + 0.3 * risk(X @ w + b)))
        problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11)
        for solver in ("auto", "newton", 35, 37):
            how = {"regularizer": "elastic-net", "solver": solver, "gap_tol": 1e-10}
            model = fitted(loss, penalty_factors=FREE, free_bias=True, bias=1.0, **how)
            np.testing.assert_allclose(model.weights[:-1, 0], w.value, atol=1e-5)
            assert model.weights[-1, 0] == pytest.approx(b.value, abs=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "weston-watkins"])
def test_free_columns_of_wide_data_have_the_optimum_of_a_conic_solver(loss):
    cvxpy = pytest.importorskip("cvxpy")
    rng, factors, y = np.random.default_rng(7), np.ones(150), labels_of(loss)
    wide = rng.normal(size=(N, 150)) * (rng.random((N, 150)) < 0.2)
    wide[:, 0], wide[:, 1], factors[:3] = 1.0, SCORES > 0.2, [0.0, 0.0, 3.0]
    own = (y[:, None] == np.unique(y)).astype(float)
    W = cvxpy.Variable((150, own.shape[1] if loss == "weston-watkins" else 1))
    scores = wide @ W if W.shape[1] > 1 else wide @ W @ np.array([[-0.5, 0.5]])
    of_own = cvxpy.sum(cvxpy.multiply(own, scores), axis=1, keepdims=True)
    risk = cvxpy.sum(cvxpy.pos(1 + scores - of_own)) - N  # an example is no rival of itself
    objective = cvxpy.sum(factors @ cvxpy.square(W)) / 2 + 0.3 * risk
    least = cvxpy.Problem(cvxpy.Minimize(objective)).solve(solver=cvxpy.CLARABEL)
    for columns, how in ((wide, {}), (wide[:, 1:], {"bias": 1.0, "free_bias": True})):
        given = {"penalty_factors": factors[-columns.shape[1] :], "gap_tol": 1e-7} | how
        for form in (csr_array, np.asarray):
            result = fitted(loss, form(columns), **given).result
            assert result.solved
            assert result.dual <= least * (1 + 1e-7)
            assert result.primal == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("regularizer", ["l2", "l1", "elastic-net"])
@pytest.mark.parametrize("loss", ["poisson", "squared", "hinge", "logistic"])
@pytest.mark.parametrize("free", [True, False])
def test_a_factor_of_0_is_no_penalty(loss, regularizer, free):
    ones = np.where(np.arange(D) < 2, 0.0, 1.0)
    how = {"regularizer": regularizer} | ({"bias": 1.0, "free_bias": True} if free else {})
    by_factor = fitted(loss, penalty_factors=ones, **how)
    by_name = fitted(loss, unpenalized=[0, 1], **how)
    assert by_factor.result.solved
    assert by_factor.result.primal == pytest.approx(by_name.result.primal, rel=1e-7)


@pytest.mark.parametrize("loss", ["weston-watkins", "softmax", "hinge"])
def test_without_any_penalty_a_regularizer_and_a_column_of_one_number_have_no_part(loss):
    how, free = {"bias": 1.0, "free_bias": True, "gap_tol": 1e-6}, {"penalty_factors": 0.0}
    wide = np.column_stack([X, np.full(N, 0.1)])  # less its mean, rounding is left
    some = [{**free, "regularizer": name} for name in ("l2", "l1", "elastic-net")]
    some += [{**free, "data": wide}, {"regularizer": "l1", "unpenalized": range(D)}]
    one, *others = (fitted(loss, **how, **each).result for each in some)
    assert all(r.solved and r.primal == pytest.approx(one.primal, rel=2e-6) for r in others)


@pytest.mark.parametrize(("seed", "loss"), [(42, "softmax"), (29, "crammer-singer")])
def test_free_weights_of_several_scores_have_bounds(seed, loss):
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(30, 2)), np.append([0, 1], rng.integers(0, 2, 30)[2:])
    how = {"penalty_factors": [0.0, 1.0], "lower": [0.0, -np.inf], "tol": 1e-6}
    ours, agm = (LinearClassifier(loss, **how, solver=by).fit(A, y) for by in ("auto", "agm"))
    assert ours.status_.name == agm.status_.name == "SOLVED"
    assert ours.objective_ == pytest.approx(agm.objective_, rel=2e-6)


def test_groups_have_weights():
    cvxpy = pytest.importorskip("cvxpy")
    members = [[0, 1], [2], [3, 4, 5]]
    w = cvxpy.Variable(D)
    squares = sum(f * cvxpy.norm1(w[g]) ** 2 for f, g in zip(WEIGHTS, members, strict=True))
    sizes = sum(f * cvxpy.norm2(w[g]) for f, g in zip(WEIGHTS, members, strict=True))
    terms = {
        "group-lasso": sizes,
        "sparse-group-lasso": sizes + cvxpy.norm1(w[[0, 1, 3, 4, 5]]),
        "exclusive-lasso": squares,
    }
    y = labels_of("poisson")
    risk = cvxpy.sum(cvxpy.exp(X @ w) - cvxpy.multiply(y, X @ w))
    for name, term in terms.items():
        cvxpy.Problem(cvxpy.Minimize(term + 0.3 * risk)).solve(solver=cvxpy.CLARABEL)
        for groups in (GROUPS, members):
            for solver in ("auto", 37):
                how = {"regularizer": name, "groups": groups, "solver": solver}
                model = fitted("poisson", group_weights=WEIGHTS, **how)
                np.testing.assert_allclose(model.weights[:, 0], w.value, atol=2e-4)


@pytest.mark.parametrize("form", [csr_array, np.asfortranarray])
def test_estimators_take_factors(form):
    y = labels_of("poisson")
    given = {"alpha": 0.1, "tol": 1e-9, "penalty_factors": FACTORS}
    ours = LinearRegressor("poisson", **given).fit(form(X), y)
    twin = PoissonRegressor(alpha=0.1, tol=1e-9).fit(X / np.sqrt(FACTORS), y)
    np.testing.assert_allclose(ours.coef_ * np.sqrt(FACTORS), twin.coef_, atol=1e-4)
    assert ours.objective_ == pytest.approx(twin.objective_, rel=1e-8)
    classes = np.digitize(SCORES, [-0.5, 0.5])
    # the softmax has no free intercept beside the 1-norm: a column without penalty takes its place
    for loss, name in (("logistic", "l2"), ("softmax", "l2"), ("softmax", "l1")):
        how = {"loss": loss, "regularizer": name, "C": 1.0, "tol": 1e-9 if name == "l2" else 1e-7}
        units = np.sqrt(FACTORS) if name == "l2" else FACTORS
        ours = LinearClassifier(**how, penalty_factors=FACTORS).fit(form(X), classes)
        twin = LinearClassifier(**how).fit(X / units, classes)
        np.testing.assert_allclose(ours.coef_ * units, twin.coef_, atol=1e-3)
        assert ours.objective_ == pytest.approx(twin.objective_, rel=1e-6)


@pytest.mark.parametrize(("name", "n"), [("penalty_factors", D), ("group_weights", 3)])
@pytest.mark.parametrize("factor", [0.0, 2.0])
def test_one_factor_stands_for_all(name, n, factor):
    how = {"gap_tol": 1e-4} | (GROUPED if n == 3 else {"regularizer": "l21"})
    short = X * np.where(np.arange(D) == 1, 1e-5, 1.0)  # whose weight may be long
    one, each = (fitted("softmax", short, **how, **{name: f}) for f in (factor, [factor] * n))
    np.testing.assert_array_equal(one.weights, each.weights)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"penalty_factors": [1.0, -1.0]}, "that of column 1 is -1; it must be at least 0 and"),
        ({"penalty_factors": [1.0, np.inf]}, "that of column 1 is inf"),
        ({"penalty_factors": [[1.0]]}, "must be a number or a list of them"),
        ({"penalty_factors": [1.0, 2.0]}, "there are 2 penalty factors for 6 columns"),
        ({"penalty_factors": [2.0]}, "there are 1 penalty factors for 6 columns"),
        ({"lower": [0.0]}, "there are 1 lower bounds for 6 columns"),
        ({"penalty_factors": FREE, "unpenalized": [0]}, "penalty_factors has no effect with unpen"),
        ({"penalty_factors": FREE, "solver": 32}, "penalty_factors has no effect with solver 32"),
        ({"penalty_factors": FREE, "regularizer": "linf"}, "no effect with regularizer linf"),
        ({"penalty_factors": FREE, "regularizer": "l1", "radius": 1}, "with radius of regular"),
        ({"group_weights": [1.0]}, "group_weights has no effect with regularizer l2"),
        ({"regularizer": "group-lasso", "groups": 1j}, "groups must be a list, got 1j"),
        ({**GROUPED, "group_weights": [2.0]}, "there are 1 factors for 3 groups"),
        ({**GROUPED, "group_weights": [2.0, -2.0]}, "that of group 1 is -2"),
        ({**GROUPED, "group_weights": [1.0, 1.0, 1.0, 0.0]}, "there are 4 factors for 3 groups"),
        ({"limit": 3.0}, "limit has no effect without unpenalized or penalty_factors or group_w"),
        *(
            ({**(GROUPED if "_w" in name else {}), name: no}, f"{name} must be a number or a list")
            for name in ("penalty_factors", "lower", "upper", "unpenalized", "group_weights")
            for no in ("a", 1j, ["1", "b"], [[1.0], [1.0, 2.0]], {})
        ),
    ],
)
def test_refused(choices, words):
    problem = Problem.from_arrays(X, labels_of("squared"))
    with pytest.raises(ValueError, match=words):
        fit(problem, Parameter(loss="squared", **choices))


def test_a_free_weight_at_its_limit_is_told():
    with pytest.warns(UserWarning, match="the weight of unpenalized column 1 is at the limit 0.01"):
        fitted("squared", penalty_factors=FREE, limit=0.01)


@pytest.mark.parametrize("free", [{"penalty_factors": FREE}, {"unpenalized": [1]}])
@pytest.mark.parametrize(("of_labels", "of_columns"), [(1e5, 1.0), (1.0, 1e-5)])
def test_free_weights_may_be_as_long_as_the_labels_ask(free, of_labels, of_columns):
    units, y = np.where(FREE == 0, of_columns, 1.0), labels_of("absolute")
    small = Parameter(loss="absolute", C=3.0, gap_tol=1e-8, **free)
    large = Parameter(loss="absolute", C=3.0 * of_labels, gap_tol=1e-8, **free)
    one = fit(Problem.from_arrays(X, y), small)
    two = fit(Problem.from_arrays(X * units, y * of_labels), large)
    assert two.result.primal == pytest.approx(one.result.primal * of_labels**2, rel=1e-6)
    np.testing.assert_allclose(two.weights[:, 0] * units / of_labels, one.weights[:, 0], atol=1e-3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", [csr_array, np.asarray])
@pytest.mark.parametrize(("dtype", "digits"), [("f4", 20), ("f8", 26), ("f8", 36)])
@pytest.mark.parametrize(("n", "l1"), [(30, 0.0), (30, 0.5), (9, 0.0)])
def test_gaps_are_true_where_free_columns_nearly_depend(form, dtype, digits, n, l1):
    rng, free = np.random.default_rng(digits), np.arange(14) < 2
    A = rng.integers(-4, 5, (n, 14)).astype(dtype)
    near, y = A.copy(), 2.0 * A[:, 2] + A[:, 3] + rng.normal(size=n)
    near[:, 1] = A[:, 0] + 2.0**-digits * A[:, 1]  # without rounding: of the same space
    how = {"loss": "squared", "penalty_factors": 1.0 - free, "free_bias": True}
    how |= {"regularizer": "elastic-net", "l1": l1} if l1 else {}
    whole, problem = (Problem.from_arrays(form(X), y, bias=1.0) for X in (A, near))
    least = fit(whole, Parameter(**how, gap_tol=1e-12)).result.primal
    wide = fit(problem, Parameter(**how, gap_tol=1e-3, limit=1e14)).result
    assert wide.solved
    assert wide.dual * (1 - 1e-3) <= least <= wide.primal * (1 + 1e-4)
    assert wide.primal <= least * (1 + 1e-3)
    for tol in (1e-3, 1e-9):
        result = fit(problem, Parameter(**how, gap_tol=tol, limit=1e3, max_passes=40)).result
        w = result.weights.ravel()
        for s in (0.0, min(1000 + w[0], 1000 - w[1]), max(w[0] - 1000, -1000 - w[1])):
            v = w[:14] + np.array([-s, s] * 7) * free
            error, own = y - w[14] - near.astype(float) @ v, v[~free]
            primal = error @ error / 2 + own @ own / 2 + l1 * np.abs(own).sum()
            assert result.dual <= primal * (1 + 1e-11)
            assert s != 0 or result.primal == pytest.approx(primal, rel=1e-9)
