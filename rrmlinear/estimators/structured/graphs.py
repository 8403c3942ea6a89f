"""Nodes of trees and decomposable graphs labelled: random fields and max-margin networks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from rrmlinear.data.graphs import GraphProblem
from rrmlinear.estimators.structured.positions import GivesMarginals, LabelsByWeights
from rrmlinear.training.graphs import solve_graphs


@dataclass(eq=False, repr=False)
class Graph(LabelsByWeights):
    """What both have in common: fit and predictions."""

    _parts = "graphs"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on graphs X with labels y of their nodes.

        X is a list of pairs: a matrix, sparse or dense, with a row for each node 0, 1, … and d
        columns, and a list of cliques, tuples of nodes; a third member gives each clique a type, a
        whole number. y is a list of lists of labels; ``sample_weight``, a number of at least 0 for
        each graph, multiplies ``C``. Raises ValueError for parameters out of range, NaN or
        infinity, lengths that differ, cliques of no decomposable graph, and fewer than two labels.
        Graphs without nodes count for nothing.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        problem = GraphProblem.from_lists(X, y, sample_weight, bias=self._bias)
        model, result = self._solve(problem, solve_graphs)
        self.tables_ = dict(model.tables or {})
        self._set_certificate(result)
        return self

    def _given(self, X: Any) -> GraphProblem:
        check_is_fitted(self)
        problem = GraphProblem.unlabelled(X)
        self._check_width(problem.rows)
        return problem


@dataclass(eq=False, repr=False)
class GraphCRF(Graph, GivesMarginals):
    r"""Conditional random field on trees and decomposable graphs: nodes labelled by likelihood.

    A labelling y of the nodes of a graph with cliques c has the score

    .. math::
        s(y) = \sum_t (w_{y_t}^\top x_t + b_{y_t}) + \sum_c T_{\tau(c)}(y_c),

    with a table T of weights for each type τ of cliques, by default one for each size, and the
    probability e^{s(y)} over the sum of all labellings. Solves

    .. math::
        \min_{W, b, T} \; \Omega(W, b, T)
        + C \sum_g c_g \Big(\log \sum_y e^{s_g(y)} - s_g(y_g)\Big)

    over graphs g with weights c_g, exactly, by messages between cliques. A chain or a tree is given
    by its edges; any other graph by the cliques of a triangulation of it, each with k^size labels.
    For chains `ChainCRF` is faster. ``duality_gap_`` bounds how far the objective is above its
    minimum.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a graph of weight 1.
    regularizer : str, default="l2"
        Ω by a name of `rrmlinear.Parameter` that needs no groups: "l2", "elastic-net", "l1", ….
    l1 : float, default=None
        The factor of the 1-norm, where Ω has one.
    solver : {"auto", "lbfgs", "agm", "agm-1", "bmrm", "ls-bmrm"}, default="auto"
        "auto" is L-BFGS for "l2", cutting planes for other strongly convex Ω, else AGM-EF.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol * objective``.
    max_iter, fit_intercept, intercept_scaling, random_state, n_jobs, callback, verbose
        As in `ChainCRF`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    coef_, intercept_ : ndarrays of shapes (k, d) and (k,)
        W transposed, and b.
    tables_ : dict of ndarrays of shape (k, …, k)
        T by the type or the size of cliques; the first index is the label of a clique's first node.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_
        As in `LinearClassifier`.

    References
    ----------
    J. Lafferty, A. McCallum and F. Pereira, "Conditional random fields", 2001. D. Koller and N.
    Friedman, "Probabilistic graphical models", 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import GraphCRF
    >>> star = [(0, 1), (0, 2), (0, 3)]
    >>> X = [(np.array([[s], [0], [0], [0]]), star) for s in (1.0, -1.0)]
    >>> y = [["hub", "leaf", "leaf", "leaf"], ["rim", "node", "node", "node"]]
    >>> model = GraphCRF(C=10.0).fit(X, y)
    >>> model.predict(X)[1].tolist()
    ['rim', 'node', 'node', 'node']
    >>> model.predict_marginals(X)[0].shape
    (4, 4)
    """

    _loss = "crf"
    _solvers = {  # noqa: RUF012
        "auto": "auto",
        "lbfgs": "lbfgs",
        "agm": 35,
        "agm-1": 36,
        "bmrm": 39,
        "ls-bmrm": 40,
    }


@dataclass(eq=False, repr=False)
class GraphSVM(Graph):
    r"""Max-margin Markov network on trees and decomposable graphs.

    Scores s(y) of labellings are those of `GraphCRF`. Solves

    .. math::
        \min_{W, b, T} \; \Omega(W, b, T)
        + C \sum_g c_g \max_y \big(h(y, y_g) + s_g(y) - s_g(y_g)\big),

    h the number of nodes at which two labellings differ, over graphs g with weights c_g.

    Parameters
    ----------
    C, regularizer, l1, tol, max_iter, fit_intercept, intercept_scaling, random_state, n_jobs, \
    callback, verbose
        As in `GraphCRF`.
    smoothing : float, default=None
        g > 0 takes g log Σ_y exp(· / g) in place of the maximum.
    solver : {"auto", "lbfgs", "agm", "agm-1", "bmrm", "ls-bmrm"}, default="auto"
        "auto" is cutting planes for strongly convex Ω, else AGM-EF; with a smoothing as in
        `GraphCRF`. L-BFGS needs a smoothing.

    Attributes
    ----------
    classes_, coef_, intercept_, tables_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_
        As in `GraphCRF`.

    References
    ----------
    B. Taskar, C. Guestrin and D. Koller, "Max-margin Markov networks", 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import GraphSVM
    >>> star = [(0, 1), (0, 2), (0, 3)]
    >>> X = [(np.array([[s], [0], [0], [0]]), star) for s in (1.0, -1.0)]
    >>> y = [["hub", "leaf", "leaf", "leaf"], ["rim", "node", "node", "node"]]
    >>> GraphSVM(C=10.0).fit(X, y).score(X, y)
    1.0
    """

    _loss = "m3n"
    _solvers = GraphCRF._solvers

    _: KW_ONLY
    smoothing: float | None = None
