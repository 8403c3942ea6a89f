"""Sequences labelled by functions of a kernel: Gaussian processes over the cliques of chains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.core.plain_state import PlainState
from rrmlinear.data.array_rows import csr_of, rows_of
from rrmlinear.data.graphs import GraphProblem
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.estimators.arguments import RANGES, check_counted, thread_count
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.kernels.features import Kernel, KernelPoints, basis_of, checked_kernels
from rrmlinear.estimators.structured.positions import GivesMarginals, sequences_of
from rrmlinear.exports.exported import Saved
from rrmlinear.training.chains import solve_chains
from rrmlinear.training.graphs import solve_graphs

#: The kernel of two cliques: see `KernelChainCRF`.
NODES, STATIONARY, BY_POSITION = "nodes", "stationary", "by-position"


class Places(NamedTuple):
    """The number of each position in its sequence, and whether others are before and behind it."""

    number: NDArray[np.int64]
    before: NDArray[np.bool_]
    behind: NDArray[np.bool_]

    @classmethod
    def of(cls, starts: NDArray[np.int64]) -> Places:
        lengths = np.diff(starts)
        number = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        return cls(number, number > 0, number < np.repeat(lengths, lengths) - 1)

    @property
    def cliques(self) -> Array:
        """The number of cliques that hold a position; one that stands alone is its own clique."""
        return np.maximum(1.0, self.before * 1.0 + self.behind)

    def times(self, other: Places, cliques: str) -> Any:
        """The factor of the kernel of two positions in the kernel of their sequences."""
        if cliques == NODES:
            return 1.0
        if cliques == STATIONARY:
            return self.cliques[:, np.newaxis] * other.cliques
        pairs = [(self.before, other.before), (self.behind, other.behind)]
        alone = [~(each.before | each.behind) for each in (self, other)]
        shared = sum(np.logical_and.outer(a, b) * 1.0 for a, b in [*pairs, alone])
        return shared * np.equal.outer(self.number, other.number)


def matrix_of(rows: Rows) -> Any:
    """The rows as a matrix of float64, dense or sparse."""
    if rows.is_dense:
        return rows.values.astype(np.float64, copy=False)
    return csr_of(rows).astype(np.float64)


def as_graphs(problem: SequenceProblem, most_places: int | None = None) -> GraphProblem:
    """Sequences as graphs of their edges, whose places are their types.

    Edges from ``most_places`` on are left out.
    """
    most = problem.n_positions if most_places is None else most_places
    lengths = np.minimum(np.diff(problem.starts) - 1, most).tolist()
    return GraphProblem(
        **vars(problem),
        cliques=[[(t, t + 1) for t in range(n)] for n in lengths],
        types=[list(range(n)) for n in lengths],
    )


Array = NDArray[np.float64]

#: Positions of training: their matrix takes 8 n² bytes, and its eigenvectors O(n³) operations.
MOST_POSITIONS = 5000


@dataclass(eq=False, repr=False)
class KernelChainCRF(GivesMarginals, Saved, PlainState, Certified):
    r"""Gaussian-process sequence labelling: a conditional random field over a kernel.

    A labelling y of a sequence has the score :math:`s(y) = \langle g, \phi(x, y) \rangle`, g a
    function of a kernel between the cliques of sequences: pairs of neighbours with their labels.
    Solves

    .. math::
        \min_g \; \tfrac12 \|g\|^2 + C \sum_i c_i \Big(\log \sum_y e^{s_i(y)} - s_i(y_i)\Big)

    over sequences i with weights c_i, which is the posterior's mode under a Gaussian process, and
    half of paper 000's (32) for C = 1/2. By the representer theorem g is a sum over the training
    positions and the pairs of labels. With "nodes" and a linear kernel it is `ChainCRF` without an
    intercept. The optimum is exact. The eigenvectors of the kernel matrix over all n training
    positions give features with the kernel's inner products. They take O(n³) operations and 8 n²
    bytes, for n up to 5000. ``duality_gap_`` bounds how far the objective is above its minimum.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a sequence of weight 1.
    kernel : str or callable, default="rbf"
        k(x, z) of positions, as in `KernelClassifier`. "precomputed": X is a list of matrices with
        a row for each position and a column for each training position, in their order.
    kernel_params : dict, default=None
        More arguments of the kernel, such as {"gamma": 0.1}.
    cliques : {"nodes", "stationary", "by-position"}, default="nodes"
        The kernel of two cliques, which are pairs of neighbours: 1 if both labels are equal, plus a
        sum of k(x_p, x_q) over positions p of the one and q of the other that have equal labels.
        "stationary": the sum is over all four pairs p, q, for any two cliques. "by-position": it is
        over the first positions and over the second ones, and the kernel is 0 unless both cliques
        have the same place in their sequences, so that each place has its own table of transitions.
        Both count a position once for each clique that holds it. "nodes": as "stationary", but each
        position counts once.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol * objective``.
    max_iter, n_jobs, callback, verbose
        As in `ChainCRF`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    dual_coef_ : ndarray of shape (k, n)
        a of the score Σ_z a_jz m(t, z) k(x_t, z) of label j at position t, z the training
        positions, m how often the cliques count the pair.
    transitions_ : ndarray of shape (k, k), or (places, k, k) with "by-position"
        Row i, column j for label j behind label i.
    points_ : ndarray or csr_array
        The training positions.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_
        As in `LinearClassifier`.

    References
    ----------
    Y. Altun, T. Hofmann and A. Smola, "Gaussian process classification for segmenting and
    annotating sequences", 2004. X. Zhang, A. Saha and S. V. N. Vishwanathan, "Lower bounds for BMRM
    and faster rates for training SVMs", appendix E.2.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import KernelChainCRF
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.uniform(-1, 1, (n, 2)) for n in (5, 8, 3, 9)]
    >>> y = [np.where((part**2).sum(axis=1) < 0.6, "in", "out") for part in X]
    >>> model = KernelChainCRF(C=100.0, kernel_params={"gamma": 2.0}).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "cliques": [StrOptions({NODES, STATIONARY, BY_POSITION})],
    }

    C: float = 1.0
    _: KW_ONLY
    kernel: Any = "rbf"
    kernel_params: Any = None
    cliques: Literal["nodes", "stationary", "by-position"] = "nodes"
    tol: float = 1e-3
    max_iter: int = 10_000
    n_jobs: int | None = None
    callback: Any = None
    verbose: int = 0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on sequences X with labels y, as `ChainCRF.fit` does.

        Raises what that raises, and ValueError for more than 5000 positions, several kernels and a
        kernel that is not positive semidefinite.
        """
        self._validate_params()
        if isinstance(self.kernel, list | tuple):
            raise ValueError(f"kernel is {self.kernel!r}; sequences take one kernel")
        kernel, parameters = checked_kernels(self.kernel, self.kernel_params)[0]
        X, y, sample_weight = sequences_of(self, X, y, sample_weight)
        problem = SequenceProblem.from_lists(X, y, sample_weight)
        _check(problem, kernel)
        self.points_ = matrix_of(problem.rows)
        self._points = KernelPoints(kernel, parameters, self.points_)
        self._places = Places.of(problem.starts)
        matrix = self._kernel(problem)
        basis = basis_of(matrix, kernel)
        self.classes_, self.n_features_in_ = problem.labels, problem.n_features
        self._solve(replace(problem, rows=rows_of(matrix @ basis)), basis)
        return self

    def _solve(self, problem: SequenceProblem, basis: Array) -> None:
        """Train on features, and give the weights of positions in their place."""
        choices = Parameter(
            solver="lbfgs",
            loss="crf",
            C=float(self.C),
            gap_tol=float(self.tol),
            max_passes=int(self.max_iter),
            threads=thread_count(self.n_jobs),
        )
        chosen = select(choices)
        n = len(basis)
        if self.cliques == BY_POSITION:
            in_graphs, result = solve_graphs(as_graphs(problem), chosen, self._on_pass())
            weights, k = basis @ in_graphs.weights, problem.n_labels
            self._model = replace(
                in_graphs, weights=weights, n_features=n, parameter=None, result=None
            )
            each = [table for _, table in sorted((in_graphs.tables or {}).items())]
            self.transitions_: Any = np.array(each).reshape(-1, k, k)
        else:
            in_chains, result = solve_chains(problem, chosen, self._on_pass())
            weights = basis @ in_chains.weights
            self._model = replace(
                in_chains, weights=weights, n_features=n, parameter=None, result=None
            )
            self.transitions_ = in_chains.transitions
        self.dual_coef_ = np.ascontiguousarray(weights.T)
        self._set_certificate(result)

    def _kernel(self, problem: SequenceProblem) -> Array:
        """The kernel of positions with the training positions, by their cliques."""
        X = matrix_of(problem.rows)
        if self._points.kernel == "precomputed" and not problem.rows.is_dense:
            X = X.toarray()
        matrix = self._points.kernel_to(X)
        return matrix * Places.of(problem.starts).times(self._places, self.cliques)

    def _given(self, X: Any) -> SequenceProblem:
        """Sequences whose rows are their kernel with the training positions."""
        check_is_fitted(self)
        problem = SequenceProblem.unlabelled(sequences_of(self, X)[0])
        _check_edges(problem)
        self._check_width(problem.rows)
        ready = replace(problem, rows=rows_of(self._kernel(problem)))
        if self.cliques == BY_POSITION:
            return as_graphs(ready, len(self.transitions_))
        return ready

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not precomputed
        return tags


def _check(problem: SequenceProblem, kernel: Kernel) -> None:
    """Raise ValueError for training sequences that the kernel cannot take."""
    check_counted(problem.weights, "sequences")
    _check_edges(problem)
    n = problem.n_positions
    if n > MOST_POSITIONS:
        raise ValueError(
            f"the sequences have {n} positions, and a kernel takes a matrix over all pairs of "
            f"them, of at most {MOST_POSITIONS}: train on fewer sequences, or a ChainCRF on "
            "features"
        )
    if kernel == "precomputed" and problem.n_features != n:
        raise ValueError(
            f"X has {problem.n_features} columns for {n} positions; a precomputed kernel must "
            "have a column for each training position"
        )


def _check_edges(problem: SequenceProblem) -> None:
    if problem.edges is not None:
        raise ValueError(
            "X has features of edges, and a kernel takes those of positions: take a ChainCRF"
        )
