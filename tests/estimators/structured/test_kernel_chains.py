"""KernelChainCRF: the linear kernel, the problem of the paper by force, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from rrmlinear import ChainCRF, KernelChainCRF
from rrmlinear.estimators.structured import kernel_chains

NAMES = np.array(["a", "b", "c"])
KINDS = ["nodes", "stationary", "by-position"]


def made(seed=0, lengths=(4, 1, 3, 5, 2, 4, 4), d=3):
    chance = np.random.default_rng(seed)
    W = np.random.default_rng(9).normal(size=(d, 3))
    X = [chance.normal(size=(n, d)) for n in lengths]
    return X, [NAMES[(part @ W + chance.normal(size=(len(part), 3))).argmax(axis=1)] for part in X]


def in_cliques(part):
    """Rows times the number of pairs of neighbours that hold them."""
    counts = np.full(len(part), 2.0)
    counts[0] = counts[-1] = 1
    return part * counts[:, np.newaxis]


@pytest.mark.parametrize("kind", ["nodes", "stationary"])
def test_the_linear_kernel_is_the_linear_chain(kind):
    X, y = made()
    new, _ = made(1, (6, 1, 2))
    of = (lambda part: part) if kind == "nodes" else in_cliques
    linear = ChainCRF(C=2.0, tol=1e-9, fit_intercept=False).fit([of(part) for part in X], y)
    model = KernelChainCRF(C=2.0, kernel="linear", cliques=kind, tol=1e-9).fit(X, y)
    assert model.objective_ == pytest.approx(linear.objective_, rel=2e-9)
    assert 0 <= model.duality_gap_ <= 1e-9 * model.objective_
    np.testing.assert_allclose(model.transitions_, linear.transitions_, atol=1e-4)
    weights = model.dual_coef_ @ np.concatenate([of(part) for part in X])
    np.testing.assert_allclose(weights, linear.coef_, atol=1e-4)
    for ours, known in zip(
        model.predict_marginals(new), linear.predict_marginals([of(p) for p in new]), strict=True
    ):
        np.testing.assert_allclose(ours, known, atol=1e-4)
    for ours, known in zip(model.predict(new), linear.predict([of(p) for p in new]), strict=True):
        assert (ours == known).all()


def clique_kernel(kind, at, other, k):
    """The kernel of two cliques (sequence, place, first label, second label), as appendix E.2."""
    (i, t, *a), (j, u, *b) = at, other
    total = float(a == b)
    pairs = itertools.product((0, 1), repeat=2) if kind == "stationary" else [(0, 0), (1, 1)]
    total += sum(k[i, t + p, j, u + q] * (a[p] == b[q]) for p, q in pairs)
    return total if kind == "stationary" else total * (t == u)


@pytest.mark.parametrize("kind", ["stationary", "by-position"])
def test_the_problem_of_the_paper_over_all_labellings(kind):
    # (32): α'Kα − Σ α'KΛe + Σ log Σ exp(α'KΛe), its variables those of all cliques
    rng = np.random.default_rng(3)
    m, n, gamma = 4, 3, 0.7
    X = [rng.normal(size=(n, 2)) for _ in range(m)]
    y = [rng.integers(0, 2, n) for _ in range(m)]
    y[0][:2] = 0, 1
    k = rbf_kernel(np.concatenate(X), gamma=gamma).reshape(m, n, m, n)
    cliques = list(itertools.product(range(m), range(n - 1), (0, 1), (0, 1)))
    K = np.array([[clique_kernel(kind, a, b, k) for b in cliques] for a in cliques])
    place = {each: at for at, each in enumerate(cliques)}
    labellings = list(itertools.product((0, 1), repeat=n))
    members = np.zeros((m, len(labellings), len(cliques)))
    for i, (at, labels) in itertools.product(range(m), enumerate(labellings)):
        for t in range(n - 1):
            members[i, at, place[i, t, *labels[t : t + 2]]] = 1
    true = [labellings.index(tuple(each.tolist())) for each in y]

    def paper(alpha):
        scores = members @ (K @ alpha)
        shares = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        of_truth = members[np.arange(m), true]
        value = alpha @ K @ alpha - (scores[np.arange(m), true]).sum()
        value += logsumexp(scores, axis=1).sum()
        means = np.einsum("il,ilc->ic", shares, members).sum(axis=0)
        return value, K @ (2 * alpha - of_truth.sum(axis=0) + means)

    found = minimize(paper, np.zeros(len(cliques)), jac=True, method="BFGS", options={"gtol": 1e-9})
    given = {"kernel_params": {"gamma": gamma}, "cliques": kind}
    model = KernelChainCRF(C=0.5, tol=1e-9, **given).fit(X, y)
    assert 2 * model.objective_ == pytest.approx(found.fun, rel=1e-6)
    scores = members @ (K @ found.x)
    shares = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    ones = np.array(labellings)
    for i, marginals in enumerate(model.predict_marginals(X)):
        np.testing.assert_allclose(marginals[:, 1], shares[i] @ ones, atol=1e-4)
    for i, labels in enumerate(model.predict(X)):
        assert (labels == ones[shares[i].argmax()]).all()


def test_a_table_for_each_place():
    # labels alternate from a start that differs: "by-position" alone can tell places apart
    X = [np.zeros((4, 1))] * 3
    y = [["a", "a", "b", "b"]] * 3
    model = KernelChainCRF(C=50.0, cliques="by-position").fit(X, y)
    assert model.transitions_.shape == (3, 2, 2)
    assert model.score(X, y) == 1
    # positions beyond the longest sequence have no scores, and all labels are as likely
    longer = model.predict_marginals([np.zeros((6, 1))])[0]
    np.testing.assert_allclose(longer[4:], 0.5)
    np.testing.assert_allclose(longer[0], model.predict_marginals(X)[0][0], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_matrix_of_inner_products(kind):
    X, y = made()
    new, true = made(1)
    all_of = np.concatenate(X)
    named = KernelChainCRF(kernel_params={"gamma": 0.3}, cliques=kind, tol=1e-6).fit(X, y)
    given = KernelChainCRF(kernel="precomputed", cliques=kind, tol=1e-6)
    given.fit([rbf_kernel(part, all_of, gamma=0.3) for part in X], y)
    own = KernelChainCRF(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.3), cliques=kind, tol=1e-6)
    sparse = clone(named).fit([csr_array(part) for part in X], y)
    products = [rbf_kernel(part, all_of, gamma=0.3) for part in new]
    for model, X_new in ((given, products), (own.fit(X, y), new), (sparse, new)):
        assert model.objective_ == pytest.approx(named.objective_, rel=1e-12)
        for a, b in zip(model.predict_marginals(X_new), named.predict_marginals(new), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-9)
    blocks = [csr_array(rbf_kernel(part, np.concatenate(X), gamma=0.3)) for part in X]
    assert given.fit(blocks, y).score(products, true) >= 0


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"kernel": ["rbf", "linear"]}, "sequences take one kernel"),
        ({"kernel": "other"}, "kernel is 'other'; it must be one of"),
        ({"kernel": "precomputed"}, "X has 3 columns for 23 positions; a precomputed kernel"),
        ({"kernel": lambda a, b: -a @ b.T}, "is not positive semidefinite on the data"),
    ],
)
def test_what_is_refused(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        KernelChainCRF(**parameters).fit(*made())


def test_too_many_positions_are_refused():
    many = kernel_chains.MOST_POSITIONS + 1
    with pytest.raises(ValueError, match=f"sequences have {many} positions, and a kernel takes a"):
        KernelChainCRF().fit([np.zeros((many, 1))], [np.arange(many) % 2])
    X, y = made()
    model = KernelChainCRF().fit(X[:3], y[:3])
    with pytest.raises(ValueError, match="X has 2 features, but KernelChainCRF is expecting 3"):
        model.predict([part[:, :2] for part in X])
    with pytest.raises(ValueError, match="sample_weight is zero for all sequences"):
        KernelChainCRF().fit(X[:3], y[:3], np.zeros(3))


def test_features_of_edges_are_refused():
    X, y = made()
    with_edges = [(part, part[1:]) for part in X]
    for call in (
        lambda: KernelChainCRF().fit(with_edges, y),
        lambda: KernelChainCRF().fit(X, y).predict(with_edges),
    ):
        with pytest.raises(ValueError, match="X has features of edges, and a kernel takes those"):
            call()
