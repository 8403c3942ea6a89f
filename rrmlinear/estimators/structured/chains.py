"""Sequences labelled: conditional random fields and max-margin Markov networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.estimators.structured.positions import GivesMarginals, LabelsByWeights, sequences_of
from rrmlinear.exports.scorer import NUMBERS, Scorer
from rrmlinear.training.chain_model import ChainModel
from rrmlinear.training.chains import solve_chains


@dataclass(eq=False, repr=False)
class Chain(LabelsByWeights):
    """What both have in common: more parameters, fit and predictions."""

    _parts = "sequences"
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **LabelsByWeights._parameter_constraints,
        "observed": ["boolean"],
    }

    _: KW_ONLY
    groups: Any = None
    observed: bool = False
    warm_start: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on sequences X with labels y.

        X is a list of matrices, sparse or dense, with a row for each position and d columns; with
        features of edges, of pairs of such a matrix and a second one. The second has e columns and
        a row for each position but the first: features of this position and the one before it. y is
        a list of lists of labels; ``sample_weight``, a number of at least 0 for each sequence,
        multiplies ``C``. X may also be the path of a container or an open `Problem`, whose query
        ids tell the sequences; they are read into memory, and y is left out.

        Sequences without a position count for nothing. Raises ValueError for parameters out of
        range, NaN or infinity, lengths that differ and fewer than two labels.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        X, y, sample_weight = sequences_of(self, X, y, sample_weight)
        problem = SequenceProblem.from_lists(X, y, sample_weight, bias=self._bias)
        model, result = self._solve(problem, solve_chains, self._last(problem))
        self.transitions_ = model.transitions
        self.edge_coef_ = None
        if model.edge_weights is not None:
            self.edge_coef_ = np.moveaxis(model.edge_weights, 0, -1)
        self._set_certificate(result)
        return self

    def to_onnx(self, path: str | PathLike[str], *, dtype: str = "float32") -> None:
        """Write an ONNX file of the scores of single positions: ``variable``, n × k, of X, n × d.

        ``labels`` and ``transitions``, k × k, stand in its metadata as JSON. A labelling's score is
        the sum of both, and Viterbi's algorithm finds the best one. Raises ImportError without
        onnx, NotFittedError before a fit, and ValueError for features of edges.
        """
        from rrmlinear.exports.onnx_file import write_onnx

        check_is_fitted(self)
        if self.edge_coef_ is not None:
            raise ValueError("the model has features of edges, which an ONNX file does not tell")
        scorer = Scorer(self.coef_, np.ravel(self.intercept_), NUMBERS)
        facts = {"labels": self.classes_.tolist(), "transitions": self.transitions_.tolist()}
        write_onnx(scorer, path, dtype, facts)

    def _last(self, problem: SequenceProblem) -> ChainModel | None:
        """The model of the last fit, where a warm start may begin from it."""
        last = getattr(self, "_model", None) if self.warm_start else None
        return last if last is not None and last.fits(problem) else None

    def _choices(self) -> dict[str, Any]:
        return {**super()._choices(), "observed": self.observed or None}

    def predict_best(self, X: Any, n: int) -> list[tuple[NDArray[np.float64], NDArray[Any]]]:
        """For each sequence, the n highest scores and their labellings, each in a row."""
        return self._model.predict_best(self._given(X), n)

    def _given(self, X: Any) -> SequenceProblem:
        check_is_fitted(self)
        problem = SequenceProblem.unlabelled(sequences_of(self, X)[0])
        self._check_width(problem.rows)
        return problem


@dataclass(eq=False, repr=False)
class ChainCRF(Chain, GivesMarginals):
    r"""Linear-chain conditional random field: sequences labelled by their likelihood.

    A labelling y of a sequence x_1 … x_n has the score

    .. math::
        s(y) = \sum_t (w_{y_t}^\top x_t + b_{y_t}) + \sum_{t > 1} T_{y_{t-1} y_t},

    plus :math:`\sum_{t > 1} \sum_f z_{tf} V^f_{y_{t-1} y_t}` where edges have features z_t, and
    the probability e^{s(y)} over the sum of all labellings. Solves

    .. math::
        \min_{W, b, T} \; \Omega(W, b, T)
        + C \sum_i c_i \Big(\log \sum_y e^{s_i(y)} - s_i(y_i)\Big)

    over sequences i with weights c_i. ``duality_gap_`` bounds how far the objective is above its
    minimum.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a sequence of weight 1. CRFsuite's ``c2`` is 1 / (2 C).
    regularizer : str, default="l2"
        Ω by a name of `rrmlinear.Parameter`: "l2" half the sum of all squared weights,
        "elastic-net", "l1", "group-lasso", ….
    l1, groups : default=None
        The factor of the 1-norm, and the group of each column, where Ω has them.
    solver : {"auto", "lbfgs", "newton-cg", "marginals", "agm", "agm-1", "bmrm", "ls-bmrm"}, \
    default="auto"
        "auto" is L-BFGS for "l2", cutting planes for other strongly convex Ω, else AGM-EF.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol * objective``.
    max_iter : int, default=10_000
        Most passes over the data.
    fit_intercept : bool, default=True
        Whether there is b, regularized like all other weights: a column of ``intercept_scaling``.
    intercept_scaling : float, default=1.0
        Value of that column.
    observed : bool, default=False
        Whether a column and a label have a weight only if they occur together in the training data,
        as by default in CRFsuite; other weights are 0.
    random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    coef_, intercept_, transitions_ : ndarrays of shapes (k, d), (k,) and (k, k)
        W transposed, b, and T: row i, column j for label j behind label i.
    edge_coef_ : ndarray of shape (k, k, e), or None without features of edges
        V, the weights of features of edges: [i, j] those of label j behind label i.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_
        As in `LinearClassifier`.

    References
    ----------
    J. Lafferty, A. McCallum and F. Pereira, "Conditional random fields", 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import ChainCRF
    >>> X = [np.eye(3)[[0, 1, 2]], np.eye(3)[[2, 1]], np.eye(3)[[0]]]
    >>> y = [["noun", "verb", "noun"], ["noun", "verb"], ["noun"]]
    >>> model = ChainCRF(C=10.0).fit(X, y)
    >>> [labels.tolist() for labels in model.predict(X[1:])]
    [['noun', 'verb'], ['noun']]
    >>> model.predict_marginals(X)[0].shape
    (3, 2)
    """

    _loss = "crf"
    _solvers = {  # noqa: RUF012
        "auto": "auto",
        "lbfgs": "lbfgs",
        "newton-cg": "newton-cg",
        "marginals": "marginals",
        "agm": 35,
        "agm-1": 36,
        "bmrm": 39,
        "ls-bmrm": 40,
    }


@dataclass(eq=False, repr=False)
class ChainSVM(Chain):
    r"""Max-margin Markov network of chains: the structured SVM of sequences.

    Scores s(y) of labellings are those of `ChainCRF`. Solves

    .. math::
        \min_{W, b, T} \; \Omega(W, b, T)
        + C \sum_i c_i \max_y \big(h(y, y_i) + s_i(y) - s_i(y_i)\big),

    h the number of positions at which two labellings differ, over sequences i with weights c_i.
    ``duality_gap_`` bounds how far the objective is above its minimum.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a sequence of weight 1.
    regularizer, l1, groups, tol, max_iter, fit_intercept, intercept_scaling, observed, \
    random_state, n_jobs, warm_start, callback, verbose
        As in `ChainCRF`.
    smoothing : float, default=None
        g > 0 takes g log Σ_y exp(· / g) in place of the maximum.
    solver : {"auto", "bcfw", "lbfgs", "newton-cg", "marginals", "agm", "agm-1", "bmrm", \
    "ls-bmrm", "pragam"}, default="auto"
        "auto" is block-coordinate Frank–Wolfe for "l2" without smoothing, or cutting planes if
        sequences are long and weights are few. With another regularizer or with smoothing it is as
        in `ChainCRF`. L-BFGS, Newton's method and "marginals" need a smoothing. "pragam" projects
        on the marginals of each sequence, which takes milliseconds: for small sets.

    Attributes
    ----------
    classes_, coef_, intercept_, transitions_, edge_coef_, objective_, duality_gap_, n_iter_, \
    status_, trace_, n_features_in_
        As in `ChainCRF`.

    References
    ----------
    B. Taskar, C. Guestrin and D. Koller, "Max-margin Markov networks", 2003.
    S. Lacoste-Julien, M. Jaggi, M. Schmidt and P. Pletscher, "Block-coordinate Frank-Wolfe
    optimization for structural SVMs", 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import ChainSVM
    >>> X = [np.eye(3)[[0, 1, 2]], np.eye(3)[[2, 1]], np.eye(3)[[0]]]
    >>> y = [["noun", "verb", "noun"], ["noun", "verb"], ["noun"]]
    >>> model = ChainSVM(C=10.0).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    _loss = "m3n"
    _solvers = {**ChainCRF._solvers, "bcfw": "bcfw", "pragam": 34}  # noqa: RUF012

    _: KW_ONLY
    smoothing: float | None = None
