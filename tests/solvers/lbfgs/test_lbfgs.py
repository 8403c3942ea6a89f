"""L-BFGS, Newton's method, and the other solvers of whole risks, on conditional random fields."""

import tempfile

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import random as random_matrix

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.groups.group_norms import L2Groups
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.gradient.agm import AGM
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.lbfgs.lbfgs import LBFGS, NewtonCG
from rrmlinear.solvers.lbfgs.metric import Diagonal
from rrmlinear.solvers.lbfgs.pairs import Pairs
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

PRECISE = Stopping(gap_tol=1e-9, max_passes=20_000)


def chains(loss=LOG_LOSS, k=4, m=30, d=40, seed=0, threads=1, binary=False):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 8, m)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    X = random_matrix(starts[-1], d, 0.2, format="csr", rng=rng)
    if binary:
        X.data[:] = 1
    label = rng.integers(0, k - 1, starts[-1]).astype(np.int32)  # one label is never seen
    rows = Rows(X.data, X.indices, X.indptr, d)
    costs = np.ones(m) if binary else rng.uniform(0.5, 2, m)
    return ChainRisk(rows, label, starts, k, costs, threads, loss)


@pytest.fixture(scope="module")
def best():
    """(risk, regularizer, the weights that SciPy finds, their objective)."""
    risk, regularizer = chains(), L2(0.5)

    def objective(w):
        value, derivatives = risk.at(risk.scores(w)).tangent()
        gradient = risk.gradient(derivatives) + 0.5 * w
        return value + regularizer.value_of(w), gradient

    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000}
    found = minimize(objective, np.zeros(risk.shape), jac=True, method="L-BFGS-B", options=options)
    return risk, regularizer, found.x, found.fun


@pytest.mark.parametrize("solver", [LBFGS, NewtonCG, FISTA, AGM, BMRM])
def test_all_solvers_find_the_optimum_of_scipy(best, solver):
    risk, regularizer, w, value = best
    result = solver(Task.of(risk, regularizer)).solve(PRECISE)
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(value, rel=1e-8)
    assert all(row.gap >= 0 for row in result.trace)
    near = np.sqrt(2 * result.gap / regularizer.modulus)  # strong convexity
    assert np.linalg.norm(result.weights - w) <= near + 1e-4


@pytest.mark.parametrize("method", [LBFGS, NewtonCG])
def test_the_gap_is_that_of_the_gradient(best, method):
    risk, regularizer, *_ = best
    solver = method(Task.of(risk, regularizer))
    result = solver.solve(Stopping(gap_tol=1e-6))
    at = risk.at(risk.scores(result.weights))
    gradient = risk.gradient(at.derivatives) + 0.5 * result.weights
    dual = solver.certificate.dual_of(-at.derivatives, 0.5 * result.weights - gradient)[0]
    primal = at.value + regularizer.value_of(result.weights)
    assert primal - dual == pytest.approx(gradient @ gradient / (2 * 0.5), abs=1e-9)
    assert result.gap == pytest.approx(primal - dual, abs=1e-9)


def test_losses_with_kinks_and_other_regularizers_are_refused():
    with pytest.raises(ValueError, match="has a kink"):
        NewtonCG(Task.of(chains(STRUCTURED_HINGE), L2(1.0)))
    with pytest.raises(ValueError, match="has a kink"):
        LBFGS(Task.of(chains(STRUCTURED_HINGE), L2(1.0)))
    with pytest.raises(ValueError, match="as regularizer, got ElasticNet"):
        LBFGS(Task.of(chains(), ElasticNet(0.1)))


def test_the_smoothed_hinge_is_solved_too():
    risk = chains(STRUCTURED_HINGE).smoothed(0.1)
    results = [solver(Task.of(risk, L2(1.0))).solve(PRECISE) for solver in (LBFGS, NewtonCG, AGM)]
    for other in results[1:]:
        assert results[0].primal == pytest.approx(other.primal, rel=1e-8)


def test_the_elastic_net_leaves_zeros_with_a_gap():
    risk, regularizer = chains(), ElasticNet(2.0, 0.1)
    precise = Stopping(gap_tol=1e-8, max_passes=20_000)
    results = [solver(Task.of(risk, regularizer)).solve(precise) for solver in (FISTA, AGM)]
    assert all(result.solved for result in results)
    assert results[0].primal == pytest.approx(results[1].primal, rel=1e-7)
    w = results[0].weights
    gradient = risk.gradient(risk.at(risk.scores(w)).derivatives) + 0.1 * w
    assert 0 < (w == 0).sum() < w.size
    assert np.abs(gradient[w == 0]).max() <= 2 + 1e-2
    np.testing.assert_allclose(gradient[w != 0], -2 * np.sign(w[w != 0]), atol=1e-2)


def test_groups_of_a_feature_leave_together():
    risk = chains()
    k, d = risk.k, risk.rows.shape[1]
    groups = np.append(np.repeat(np.arange(d), k), d + np.arange(k * k))
    regularizer = L2Groups(groups, 2.0).over(risk.shape)
    result = FISTA(Task.of(risk, regularizer)).solve(Stopping(gap_tol=1e-6, max_passes=20_000))
    assert result.solved
    nodes, _ = risk.split(result.weights, d)
    used = (nodes != 0).any(axis=1)
    assert 0 < used.sum() < d
    assert (nodes[used] != 0).all(axis=1).any()


@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_directions_are_those_of_the_updates_of_bfgs(most, scale):
    rng = np.random.default_rng(3)
    d = 12
    inverse, g = rng.uniform(0.5, 2, d), scale * rng.standard_normal(d)
    pairs, metric, kept = Pairs(d, most), Diagonal(inverse), []
    for _ in range(7):
        s = scale * rng.standard_normal(d)
        y = s * rng.uniform(0.5, 3, d)
        assert pairs.add(s, y)
        metric.learn(0, s, y)
        kept = [*kept, (s, y)][-most:]
    s, y = kept[-1]
    H = (s @ y) / (y @ (inverse * y)) * np.diag(inverse)
    for s, y in kept:
        V = np.eye(d) - np.outer(y, s) / (s @ y)
        H = V.T @ H @ V + np.outer(s, s) / (s @ y)
    direction = pairs.direction(g, metric.solver(1.0, 0))
    # pairs are kept in single precision
    np.testing.assert_allclose(direction / scale, -H @ g / scale, atol=1e-5)


def test_pairs_follow_the_cost():
    rng = np.random.default_rng(4)
    d, g = 9, rng.standard_normal(9)
    moves, changes = rng.standard_normal((4, d)), rng.uniform(0.1, 2, (4, d))
    pairs, others = Pairs(d), Pairs(d)
    for s, factors in zip(moves, changes, strict=True):
        pairs.add(s, s + 2 * factors * s)
        others.add(s, s + 6 * factors * s)
    pairs.rescale(3.0)
    directions = [each.direction(g, lambda vector: vector) for each in (pairs, others)]
    np.testing.assert_allclose(*directions, atol=1e-5)


def test_no_pair_without_a_positive_product_is_taken():
    pairs = Pairs(3)
    s = np.array([1.0, 2.0, 0.0])
    assert not pairs.add(s, -s)
    assert not pairs.add(s, 0 * s)
    assert not pairs.add(0 * s, s)
    np.testing.assert_array_equal(pairs.direction(s, lambda vector: vector), -s)


@pytest.mark.parametrize("c2", [0.05, 1.0])
def test_python_crfsuite_finds_the_same(c2):
    """With all states and transitions; its penalty is c2 ‖w‖², so that λ = 2 c2."""
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    risk = chains(k=5, binary=True)
    d, k, rows = risk.rows.shape[1], risk.k, risk.rows
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    label = risk.label
    for s in range(len(risk.starts) - 1):
        some = range(risk.starts[s], risk.starts[s + 1])
        items = [[str(f) for f in rows.indices[rows.indptr[t] : rows.indptr[t + 1]]] for t in some]
        trainer.append(items, [str(label[t]) for t in some])
    seen = sorted(set(label))  # it knows only labels that it has seen
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": c2,
            "feature.possible_states": True,
            "feature.possible_transitions": True,
            "epsilon": 1e-9,
            "delta": 1e-12,
            "max_iterations": 2000,
        }
    )
    with tempfile.NamedTemporaryFile(suffix=".crfsuite") as file:
        trainer.train(file.name)
        tagger = pycrfsuite.Tagger()
        tagger.open(file.name)
        info = tagger.info()
        tagger.close()
    nodes, transitions = np.zeros((d, k)), np.zeros((k, k))
    for (feature, name), weight in info.state_features.items():
        nodes[int(feature), int(name)] = weight
    for (one, other), weight in info.transitions.items():
        transitions[int(one), int(other)] = weight
    ours = ChainRisk(
        rows,
        np.searchsorted(seen, label).astype(np.int32),
        risk.starts,
        len(seen),
        risk.sequence_costs,
    )
    result = LBFGS(Task.of(ours, L2(2 * c2))).solve(Stopping(gap_tol=1e-12))
    own, pairs = ours.split(result.weights, d)
    theirs = np.concatenate([nodes[:, seen].ravel(), transitions[np.ix_(seen, seen)].ravel()])
    objective = ours.at(ours.scores(theirs)).value + L2(2 * c2).value_of(theirs)
    assert objective == pytest.approx(result.primal, rel=1e-6)
    np.testing.assert_allclose(np.concatenate([own.ravel(), pairs.ravel()]), theirs, atol=2e-3)
