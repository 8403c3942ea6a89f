"""What the user chose."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from numpy.typing import ArrayLike, NDArray

from rrmlinear.data.problem import Problem


@dataclass(frozen=True)
class Parameter:
    """Choices for one training run, under LIBLINEAR's numbers; checked by `check`, once.

    solver         30 Weston–Watkins SVM, 31 the same with Shark's block solver, 32 Prox-SDCA, 33
                   accelerated, 34 Pragam, 35 AGM-EF with all memory, 36 with one, 37 Pdprox-dual,
                   38 Pdprox-primal, 39 BMRM, 40 ls-BMRM, 41 Pegasos, 42 FISTA, "newton", "batch"
                   or "sdca" what suits the problem
    C              cost of an example with weight 1, > 0
    class_weights  label → factor on C, ≥ 0; one-vs-rest problems apply it where the class is the
                   one, as LIBLINEAR does
    loss           name of the loss, see `training.registry.LOSSES`
    regularizer    "l2" (default): ½‖w‖²; "elastic-net": ½‖w‖² + l1 ‖w‖₁; with 35 to 38, 42 and
                   "batch" also
                     "l1": l1 ‖w‖₁ (with the squared loss and "sdca" too); "l2-norm": ‖w‖₂;
                     "linf": ‖w‖_∞;
                     "group-lasso": Σ_g √d_g ‖w_g‖₂; "sparse-group-lasso": that and l1 ‖w‖₁;
                     "exclusive-lasso": Σ_g ‖w_g‖₁²; "squared-group-norm": (Σ_g √d_g ‖w_g‖₂)²;
                     with losses of several scores, over rows of W: "l21": Σ_j ‖W_j‖₂; "l1inf":
                     Σ_j ‖W_j‖_∞; "trace-norm": the sum of the singular values;
                     "elastic-ball": no term, but the constraint ½‖w‖² + l1 ‖w‖₁ ≤ radius
    l1             factor of ‖w‖₁, ≥ 0; σ/λ in the paper's scale; 1 by default of "l1" and
                   "sparse-group-lasso"
    radius         > 0 of the elastic ball; of a norm it makes the constraint norm ≤ radius
    groups         a whole number for each column of the data, or lists of columns from 0
    lower, upper   bounds of all weights, or of those of each column, beside "l2", "l1" and
                   "elastic-net"; the weight of an appended column has none
    unpenalized    columns from 0 whose weights have no penalty, but |w_j| ≤ limit (default 1000)
    limit          see ``unpenalized``
    smoothing      γ ≥ 0 of the smooth losses (default 1), or that smooths one that is not
    epsilon        half the width of the ε-insensitive losses (default 0.1), ≥ 0
    huber          δ > 0 where the Huber loss turns linear (default 1)
    quantile       that the quantile loss aims at (default 0.5), in (0, 1)
    slope          a > 1 of the generalized hinge where decisions are wrong (default 2)
    budget         m > 0, the most that the duals of all examples sum up to, Σ weight_i |α_i| ≤ m:
                   of the hinge only the m largest losses count; with 34 to 40, 42, newton and batch
    free_bias      whether the weight of the column that ``bias`` appends is free of Ω
    option         "I" (default) to "V": how far a visit of -s 32 goes
    sampling       of -s 32: a "permutation" (default) for each pass, or "uniform" draws
    averaging      whether -s 32 returns the average of its last passes, -s 41 that of all steps,
                   and -s 37 and 38 prove averages of all steps beside the last, without restarts
    batch          examples in a step of -s 41 (default 1), ≥ 1; all of them from n on
    line_search    where -s 39 and 40 take their planes: "ocas" (default of 39), after a search
                   along a line; "none" (default of 40), at the minimum of the model
    route          of -s 35 and 36: steps in the "primal" weights, in the "dual", or in the
                   "smoothed-dual"; by default what suits the problem
    lipschitz      of -s 34 to 36: an "adaptive" constant (default), or a "fixed" one by power
                   iteration
    prox           prox-function of duals of -s 35 and 36: "plain" (default), or "optimized"
    ratio          step in the weights by that in the duals of -s 37 and 38, > 0; by default
                   balanced as it goes
    storage        what -s 37 and 38 keep twice: "double-primal" or "double-dual"; by default
                   whichever is smaller
    accelerate     whether -s 30 is accelerated where its plain form is slow
    inner          how -s 33, sdca and an accelerated -s 30 pace their inner problems: "adaptive"
                   (default), "theory", or a number of passes for each
    block          block solver of -s 30: "knapsack" (default), "walrus" or "shark"
    delta          stop at gap ≤ delta · (gap after the first pass)
    gap_tol        stop at gap ≤ gap_tol · max(1, |primal|); alone decides where it is given
    max_passes     most passes, of each problem where classes are trained one against the rest
    time_limit     most seconds of solving, or None
    seed           of the order of visits, 0 … 2⁶⁴ − 1
    threads        threads of the solver, ≥ 1

    None stands for the default of the loss or the solver. A choice without effect, such as epsilon
    with the hinge, is an error.
    """

    solver: int | str = 30
    C: float = 1.0
    class_weights: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    loss: str | None = None
    regularizer: str | None = None
    l1: float | None = None
    radius: float | None = None
    groups: Sequence[int] | Sequence[Sequence[int]] | NDArray[Any] | None = None
    lower: float | ArrayLike | None = None
    upper: float | ArrayLike | None = None
    unpenalized: Sequence[int] | NDArray[Any] | None = None
    limit: float | None = None
    smoothing: float | None = None
    epsilon: float | None = None
    huber: float | None = None
    quantile: float | None = None
    slope: float | None = None
    budget: float | None = None
    free_bias: bool | None = None
    option: str | None = None
    sampling: str | None = None
    averaging: bool | None = None
    line_search: str | None = None
    route: str | None = None
    lipschitz: str | None = None
    prox: str | None = None
    ratio: float | None = None
    storage: str | None = None
    accelerate: bool | None = None
    inner: str | int | None = None
    block: str | None = None
    batch: int | None = None
    delta: float = 0.0009
    gap_tol: float | None = None
    max_passes: int = 100_000
    time_limit: float | None = None
    seed: int = 0
    threads: int = 1

    def check(self, problem: Problem | None = None) -> None:
        """Raise one ValueError, a full sentence in LIBLINEAR's words where it has any.

        Without a problem only what can be told before the data are read is checked.
        """
        from rrmlinear.training.choices import check_choices

        self._check_objective()
        check_choices(self)
        if self.gap_tol is None and not 0 < self.delta < 1:
            raise ValueError(f"eps <= 0: delta is {self.delta}, it must lie between 0 and 1")
        if self.gap_tol is not None and not 0 < self.gap_tol < math.inf:
            raise ValueError(f"gap-tol is {self.gap_tol}, it must be positive and finite")
        if self.max_passes < 1:
            raise ValueError(f"passes is {self.max_passes}, at least 1 is needed")
        if self.time_limit is not None and not self.time_limit > 0:
            raise ValueError(f"time-limit is {self.time_limit}, it must be positive")
        if self.batch is not None and self.batch < 1:
            raise ValueError(f"batch is {self.batch}, at least 1 is needed")
        if self.threads < 1:
            raise ValueError(f"threads is {self.threads}, at least 1 is needed")
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"seed is {self.seed}, it must lie in 0 ... 2^64 - 1")
        for label, weight in self.class_weights.items():
            if not 0 <= weight < math.inf:
                raise ValueError(
                    f"the weight of class {label} is {weight}, it must be at least 0 and finite"
                )
        if problem is not None and problem.n_examples == 0:
            raise ValueError("the problem has no examples")
        if problem is not None and self.free_bias and not problem.bias > 0:
            raise ValueError(
                "To not regularize bias, must specify -B 1 along with -R: the bias is "
                f"{problem.bias:g}, it must be positive"
            )

    def _check_objective(self) -> None:
        """The numbers that make the objective."""
        if not (self.C > 0 and math.isfinite(self.C)):
            raise ValueError(f"C <= 0: C is {self.C}, it must be positive and finite")
        if self.epsilon is not None and not 0 <= self.epsilon < math.inf:
            raise ValueError(f"p < 0: epsilon is {self.epsilon}, it must be at least 0 and finite")
        for name in ("l1", "smoothing"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} is {value}, it must be at least 0 and finite")
        for name in ("huber", "radius", "limit", "budget", "ratio"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} is {value}, it must be positive and finite")
        if self.quantile is not None and not 0 < self.quantile < 1:
            raise ValueError(f"quantile is {self.quantile}, it must lie between 0 and 1")
        if self.slope is not None and not 1 < self.slope < math.inf:
            raise ValueError(f"slope is {self.slope}, it must lie above 1 and be finite")
