"""Boosting that maximizes the soft margin, with a proof of how far it is from the largest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from rrmlinear.core.deadline import ends_within
from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.warned import warn_caller
from rrmlinear.estimators.arguments import (
    COUNT,
    POSITIVE,
    RANGES,
    check_several_classes,
    classes_of,
    counted,
    optional,
    seed_of,
    without_repeats,
)
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.boosting.ensembles import (
    CountedExamples,
    Stages,
    cap_of,
    searches_of,
    solvers_of,
)
from rrmlinear.estimators.boosting.predictions import EnsemblePredictions
from rrmlinear.estimators.reporting import Described
from rrmlinear.estimators.scores import checked_in_memory
from rrmlinear.exports.exported import Saved
from rrmlinear.solvers.boosting.generation import ColumnGeneration, EdgeStopping
from rrmlinear.training.classes.in_turn import solve_in_turn

Array = NDArray[np.float64]

# With more entropy the weights move by rounding only.
MOST_ENTROPY = 1e6
# Attributes with a member for each class where there are more than two.
OF_EACH_CLASS = ("estimators_", "estimator_weights_", "example_weights_", "edge_", "margin_")


@dataclass(eq=False, repr=False)
class ERLPBoostClassifier(EnsemblePredictions, Described, Saved, PlainState, Certified):
    r"""Entropy-regularized LPBoost: a combination of weak hypotheses with the largest soft margin.

    The variables are weights w of the n examples. The edge of a hypothesis h at w is
    :math:`\sum_i w_i y_i h(x_i)`. Solves

    .. math::
        \min_w \; \lambda \sum_i w_i \log \frac{w_i}{w^0_i} + \max_h \sum_i w_i y_i h(x_i)
        \quad \text{subject to} \quad 0 \le w_i \le \nu s_i, \; \sum_i w_i = 1,

    where :math:`s_i` are the sample weights and :math:`w^0` is proportional to them. The dual
    variables are the weights :math:`\alpha_h \ge 0`, of sum 1, of the ensemble
    :math:`f(x) = \sum_h \alpha_h h(x)`. Without entropy they maximize its soft margin: the mean of
    the smallest margins :math:`y_i f(x_i)`, over a fraction :math:`1 / (\nu n)` of the examples.
    After each search for hypotheses all weights are optimized again. For stumps and columns the
    search is complete: ``duality_gap_`` is an upper bound of the distance to the best ensemble of
    all hypotheses. For learners it compares with the hypotheses that were found.

    Parameters
    ----------
    estimator : {"stumps", "columns"}, estimator or None, default=None
        The hypotheses. None or "stumps": all decision stumps, 1 above a threshold of one feature
        and −1 below or the reverse, and both constants. "columns": the features themselves and
        their negatives, so that the ensemble is a linear function with Σ |α_j| = 1. A scikit-learn
        classifier or regressor that takes ``sample_weight``: the functions that it learns, cut to
        [−1, 1].
    nu : float, default=None
        ν, the largest weight of an example of sample weight 1; 1/n to 1.
    margin_errors : float, default=None
        In place of ``nu``: ν = 1/(margin_errors n). At most this fraction of the examples has a
        margin below the largest soft margin. In (0, 1]; 0.2 if ``nu`` is not given either. Take a
        larger one for noisy labels: if it is too small no ensemble has a positive soft margin.
    lam : float, default=0.03
        λ, 0 to 1e6, with "columns" in units of the largest |x_ij|. With 0 it is LPBoost. The soft
        margin is at most λ log(ν n) below its largest.
    solver : {"agm", "highs"}, default="agm"
        How the problem over the hypotheses found is solved. "agm": accelerated gradients on its
        dual, which with ``lam=0`` end with linear programs over the examples near the soft margin.
        "highs": SciPy's linear programs over all examples, for ``lam=0``; slower on many.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol``, with "columns" times the largest |x_ij|.
    max_iter : int, default=1000
        Limit on the searches for hypotheses, for each class if each is trained against the rest.
    time_limit : float, default=None
        Limit in seconds. The search that runs at that time is finished.
    random_state : int, RandomState instance or None, default=None
        Seed of the learners that take one. None is seed 0.
    callback : callable, default=None
        Called with a `TraceRow` after each search; returning True ends the fit.
    verbose : int, default=0
        As in `LinearClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted. More than two are trained one against the rest.
    estimators_ : list
        The hypotheses whose weight is not zero: stumps with ``feature``, ``threshold`` and
        ``sign``, columns with ``feature`` and ``sign``, or learners. With more than two classes a
        list for each class.
    estimator_weights_ : ndarray
        Their weights, of sum 1; negative for a learner whose negative is the hypothesis. With more
        than two classes a list of arrays.
    example_weights_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        w. Examples with a large margin have none.
    edge_ : float or ndarray of shape (n_classes,)
        The largest edge at w, of all hypotheses or of those that a learner found: no ensemble of
        them has a larger soft margin.
    margin_ : float or ndarray of shape (n_classes,)
        The soft margin of the ensemble.
    nu_ : float
        ν.
    objective_ : float
        The objective, summed over the classes where each is trained against the rest.
    duality_gap_ : float
        The objective is at most this far above its minimum, and the dual value below its maximum.
    n_iter_ : int
        Searches made, by all classes together.
    status_, trace_, n_features_in_, feature_names_in_
        As in `LinearClassifier`; the trace of "columns" is in units of the largest |x_ij|.

    Warns
    -----
    UserWarning
        Where no ensemble has a soft margin above ``tol``.

    References
    ----------
    M. Warmuth, K. Glocer and S. V. N. Vishwanathan, "Entropy regularized LPBoost", 2008. X. Zhang,
    A. Saha and S. V. N. Vishwanathan, arXiv:1011.0472, example 5. A. Demiriz, K. Bennett and J.
    Shawe-Taylor, "Linear programming boosting via column generation", 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rrmlinear import ERLPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ERLPBoostClassifier(margin_errors=0.1).fit(X, y)
    >>> bool(model.margin_ <= model.edge_ and model.duality_gap_ <= 1e-3)
    True
    >>> model.score(X, y) > 0.97
    True
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        "estimator": [object],
        "nu": optional(POSITIVE),
        "margin_errors": [Interval(Real, 0, 1, closed="right"), None],
        "lam": [Interval(Real, 0, MOST_ENTROPY, closed="both")],
        "solver": [StrOptions({"agm", "highs"})],
        "tol": POSITIVE,
        "max_iter": COUNT,
        "time_limit": optional(POSITIVE),
        **{name: RANGES[name] for name in ("random_state", "callback", "verbose")},
    }

    estimator: Any = None
    _: KW_ONLY
    nu: float | None = None
    margin_errors: float | None = None
    lam: float = 0.03
    solver: str = "agm"
    tol: float = 1e-3
    max_iter: int = 1000
    time_limit: float | None = None
    random_state: Any = None
    callback: Any = None
    verbose: int = 0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with labels y (n_samples), or on a
        container, as `LinearClassifier.fit`, that is read into memory.

        ``sample_weight`` (n_samples, at least 0) multiplies ν and w⁰. Raises ValueError for
        parameters that are out of range or do not fit each other, for caps with a sum below 1, NaN
        or infinity, fewer than two classes, weights that are all zero, and a learner that takes no
        weights.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        if self.solver == "highs" and self.lam != 0:
            raise ValueError(f"solver 'highs' solves linear programs: lam is {self.lam}, and not 0")
        classes, signs, examples = self._examples(X, y, sample_weight)
        self.nu_ = cap_of(self.nu, self.margin_errors, examples.weights)
        random = check_random_state(seed_of(self.random_state))
        search = searches_of(self.estimator, examples.X, random)
        by_highs = self.solver == "highs"
        solvers = solvers_of(search, signs, examples.weights, self.nu_, float(self.lam), by_highs)
        unit = float(getattr(solvers[0].hypotheses, "unit", 1.0))
        stopping = EdgeStopping(float(self.tol), max_passes=int(self.max_iter))
        with ends_within(self.time_limit):
            result = solve_in_turn(solvers, stopping, self._on_pass())
        self.classes_ = classes
        self.example_weights_ = np.zeros((len(solvers), examples.n))
        self.example_weights_[:, examples.used] = result.weights
        self._set_ensembles(solvers, result.problems, unit)
        self._set_certificate(result, unit)
        self._warn_of_margin(float(self.tol) * unit)
        return self

    def _examples(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[Any], list[Array], CountedExamples]:
        """The classes, the signs ±1 of each class against the rest, and the examples that count."""
        how = {"accept_sparse": ["csr", "csc"], "dtype": np.float64}
        X, y, sample_weight = checked_in_memory(self, X, y, sample_weight, **how)
        X = without_repeats(X)
        classes = classes_of(y)
        index = np.searchsorted(classes, y)
        check_several_classes(self, classes)
        weights = counted(1.0 if sample_weight is None else sample_weight, len(y))
        examples = CountedExamples.of(X, weights)
        index = index[examples.used]
        positive = range(1, 2) if len(classes) == 2 else range(len(classes))
        return classes, [np.where(index == c, 1.0, -1.0) for c in positive], examples

    def _set_ensembles(self, solvers: list[ColumnGeneration], results: Any, unit: float) -> None:
        """The hypotheses in use, their weights, edges and soft margins.

        With two classes each is one, and else there is one for each class.
        """
        self._stages = [
            Stages(solver.found, solver.stages, result.duals)
            for solver, result in zip(solvers, results, strict=True)
        ]
        self.estimators_: Any = []
        self.estimator_weights_: Any = []
        edges, margins = [], []
        for solver, result in zip(solvers, results, strict=True):
            used = np.flatnonzero(result.duals)
            found = [solver.found[t] for t in used]
            alphas = result.duals[used]
            if found and isinstance(found[0], tuple):
                alphas = alphas * np.array([sign for _, sign in found])
                found = [learner for learner, _ in found]
            self.estimators_.append(found)
            self.estimator_weights_.append(alphas)
            edges.append(unit * solver.edge)
            margins.append(unit * solver.soft_margin())
        self.edge_: Any = np.array(edges)
        self.margin_: Any = np.array(margins)
        if len(solvers) == 1:
            for name in OF_EACH_CLASS:
                setattr(self, name, getattr(self, name)[0])

    def _warn_of_margin(self, least: float) -> None:
        """Warn where no ensemble has a margin above the least: its scores are then rounding."""
        flat = np.atleast_1d(self.edge_) <= least
        if flat.any():
            warn_caller(
                f"no ensemble has a soft margin above {np.atleast_1d(self.edge_)[flat].max():.3g} "
                f"with nu = {self.nu_:.3g}, so that its scores may be worth nothing: take a larger "
                "margin_errors, or a smaller nu"
            )
