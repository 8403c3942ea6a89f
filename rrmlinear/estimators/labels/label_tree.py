"""`LabelTreeClassifier`: many labels in a tree of clusters, each node against its siblings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.selection import select
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.estimators.arguments import COUNT
from rrmlinear.estimators.base import Elsewhere
from rrmlinear.estimators.labels.base import TWO, LabelClassifier
from rrmlinear.training.labels.fit_tree import solve_label_tree
from rrmlinear.training.labels.label_model import check_rank
from rrmlinear.training.labels.label_tree import LabelTree

#: What stands in the place of parameters of `MultilabelClassifier` that a tree has not.
FLAT = "a tree has none of it; MultilabelClassifier trains each label against all others"


@dataclass(eq=False, repr=False, kw_only=True)
class LabelTreeClassifier(Elsewhere, LabelClassifier):
    r"""Linear classifier of rows that have any of tens of thousands of labels, by a tree of them.

    Labels are divided into clusters by what their examples have in common, the clusters again, and
    at each node the children are trained against each other, on the examples of the node. Each
    child has the problem of a label of `MultilabelClassifier`, with its proof; the tree as a whole
    has none. The score of a label is

    .. math::
        \phi(0) - \sum_{v} \phi(w_v^\top x + b_v)

    over the nodes v on its path: one node gives the sign of
    :math:`w^\top x + b`. A label is predicted where its score is above 0, among those that a search
    of the ``beam`` best nodes of each depth meets.

    It takes a part of the time of `MultilabelClassifier` where there are 10⁵ labels, and gives
    precision for it. Below some ten thousand labels it is no quicker. It is a class of its own,
    since a tree has no weights, thresholds and starts of labels: most methods of
    `MultilabelClassifier` and many of its parameters would be refused.

    Parameters
    ----------
    loss : {"squared-hinge", "hinge", "logistic", ...}, default="squared-hinge"
        φ, any of the losses of two classes.
    C : float, default=1.0
        Cost of an example of weight 1.
    branching : int, default=100
        Children of a node, about: K labels are divided into K^(1/depth) clusters, depth being the
        whole number nearest to log K / log ``branching``.
    beam : int, default=10
        Nodes of each depth that a search keeps. A search for k labels keeps at least k.
    prune : float, default=0.0
        As in `MultilabelClassifier`.
    top_k : int, default=None
        Predict the k labels with the largest scores of each row.
    regularizer, l1, fit_intercept, intercept_scaling
        As in `MultilabelClassifier`.
    tol : float, default=1e-3
        Each child is solved until its gap is at most ``tol`` times its objective.
    max_iter : int, default=10_000
        Most passes over the data, for each child.
    solver : str, default="auto"
        As in `LinearClassifier`.
    random_state : int, RandomState or None, default=None
        First centres of clusters, and order of the visits; None is 0.
    n_jobs : int, default=None
        Threads. The result is the same for any number.
    verbose : int, default=0
        1: a line at the end.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The labels: 0, 1, … for a matrix, sorted for lists.
    tree_ : LabelTree
        The tree, which saves itself for the command. Labels of no row are not in it.
    objective_, duality_gap_ : float
        Sums over all children of nodes.
    duality_gaps_, objectives_ : ndarray of shape (n_children,)
        Of each of them.
    n_iter_ : int
        The most passes that one took.
    status_ : Status
        SOLVED where every child is.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Y. Prabhu et al., "Parabel: Partitioned label trees for extreme classification", 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import LabelTreeClassifier
    >>> X, lists = np.eye(6), [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]
    >>> model = LabelTreeClassifier(C=10.0, branching=3, top_k=1).fit(X, lists)
    >>> model.predict(X)
    [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]
    """

    _elsewhere: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("thresholds", "positive_weight", "folds", "warm_start", "journal", "callback"), FLAT
    )
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **LabelClassifier._parameter_constraints,
        "branching": [Interval(Integral, 2, None, closed="left")],
        "beam": COUNT,
    }

    branching: int = 100
    beam: int = 10

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with the labels y of each row, in
        the forms that `MultilabelClassifier.fit` takes.

        Raises ValueError for parameters out of range, NaN or infinity, a y of other numbers or
        another length, and one without a label. Warns (NotConvergedWarning, a ConvergenceWarning)
        where the solver stops before ``tol``.
        """
        return self._fit(X, y, sample_weight)

    def _trained(self, problem: MultilabelProblem) -> LabelTree:
        names = problem.labels.names.tolist()
        tree = solve_label_tree(problem, select(self._parameter()), self.branching, self.prune)
        place = dict(zip(names, range(len(names)), strict=True))
        self._places = np.array([place[name] for name in tree.names.tolist()], np.int64)
        self._n_columns = len(names)
        return tree

    def _set(self, model: LabelTree) -> None:
        self.tree_ = model
        self._tell(model.result, f"{len(model.parents)} nodes of {model.n_labels} labels")

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of shape (n_samples, n_labels), without a search: all nodes are visited, so that
        the largest may be of labels that a search with a small ``beam`` does not meet. Labels of
        no row in training have −inf. Of two labels, one a row, those of the second, (n_samples,).
        """
        check_is_fitted(self)
        scores = self._scores(self._checked(X))
        return scores[:, 0] if self._kind == TWO else scores

    def _scores(self, X: Any) -> NDArray[np.float64]:
        found = self.tree_.decision_function(X) - self.tree_.limit
        scores = np.full((len(found), self._n_columns), -np.inf)
        scores[:, self._places] = found
        return scores

    def _ranked(self, X: Any, k: int | None) -> tuple[NDArray[Any], NDArray[np.float64]]:
        tree = self.tree_
        asked = min(5, tree.n_labels) if k is None else k
        check_rank(asked, tree.n_labels)
        # a node has two children or more, so that k nodes lead to k labels
        places, scores = tree.predict_top_k(X, asked, max(self.beam, asked))
        return tree.names[places], scores - tree.limit

    def _indicator(self, X: Any) -> Any:
        top_k = self.top_k
        found = self.tree_.predict(X, top_k, max(self.beam, top_k or 1)).tocoo()
        cells = found.row, self._places[found.col]
        return csr_array((found.data, cells), shape=(found.shape[0], self._n_columns))
