"""The table of choices: each field of `Choices` is a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from rrmlinear.catalog.rows import Choice, choice
from rrmlinear.catalog.values import (
    Columns,
    Factors,
    Names,
    NamesOrWhole,
    Number,
    RowName,
    Size,
    Switch,
    Whole,
)
from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record

if TYPE_CHECKING:
    from rrmlinear.catalog.names import AnyLoss, RegularizerName

POSITIVE = Number(above=0)
AT_LEAST_0 = Number(least=0)
#: Numbers whose squares and inverses solvers take: both stay finite.
MODERATE = Number(above=1e-100, below=1e100)
ONE_SCORE = frozenset({"one-score"})
EXAMPLES = frozenset({"examples"})
DUAL = frozenset({"strongly-convex", "examples"})
NO_WEIGHTS: Mapping[int, float] = MappingProxyType({})


@record(eq=True)
class Choices(PlainState):
    """The choices for one training run; None stands for the default of loss or solver."""

    solver: int | str | None = choice(
        "run",
        "solver type, by its number or name",
        RowName(),
        usually="1; auto where a loss or a regularizer is given",
    )
    C: float = choice("objective", "cost of an example of weight 1", POSITIVE, 1.0)
    class_weights: Mapping[int, float] = choice(
        "objective",
        "factor of C for each label; if each class is trained against the rest, a factor is used "
        "in the problem of its own class",
        Factors(),
        NO_WEIGHTS,
        usually="1",
        needs=frozenset({"classes", "examples"}),
    )
    loss: AnyLoss | None = choice(
        "objective", "loss, by its name", RowName(), usually="hinge; smooth-hinge for 42"
    )
    regularizer: RegularizerName | None = choice(
        "objective", "regularizer, by its name", RowName(), usually="l2"
    )
    l1: float | None = choice(
        "regularizer",
        "factor S of the 1-norm",
        AT_LEAST_0,
        usually="1; elastic-net and elastic-ball need it",
    )
    radius: float | None = choice(
        "regularizer",
        "bound R of elastic-ball; with a norm as regularizer, the constraint norm <= R replaces it",
        POSITIVE,
    )
    groups: Sequence[int] | Sequence[Sequence[int]] | NDArray[Any] | None = choice(
        "regularizer", "group of each column, a whole number", Columns()
    )
    group_weights: ArrayLike | None = choice(
        "regularizer",
        "factor of the norm of each group in place of the usual one, in the order of the groups' "
        "numbers; 0 leaves its weights without penalty",
        Columns(),
        usually="sqrt(size); 1 for exclusive-lasso",
    )
    penalty_factors: float | ArrayLike | None = choice(
        "regularizer",
        "factor of the penalty of each column's weights, as in glmnet but not rescaled; 0 leaves "
        "them without penalty",
        Columns(),
        usually="1",
        excluded_by=("unpenalized",),
    )
    lower: float | ArrayLike | None = choice(
        "regularizer",
        "lower bound of the weights; the bias has none",
        Columns(),
        excluded_by=("unpenalized",),
    )
    upper: float | ArrayLike | None = choice(
        "regularizer",
        "upper bound of the weights; the bias has none",
        Columns(),
        excluded_by=("unpenalized",),
    )
    unpenalized: Sequence[int] | NDArray[Any] | None = choice(
        "regularizer", "columns whose weights have no penalty", Columns()
    )
    limit: float | None = choice(
        "regularizer",
        "largest absolute value of a weight without penalty",
        POSITIVE,
        usually="1000, or 1000 times what scores as long as the labels need",
        only_with=("unpenalized", "penalty_factors", "group_weights"),
    )
    smoothing: float | None = choice(
        "loss",
        "smoothing g of smooth losses; for other losses (g/2) alpha^2 is added to the conjugate",
        Number(least=0, below=1e100),
        usually="1 for smooth losses, else 0",
    )
    epsilon: float | None = choice(
        "loss", "half the width of the epsilon-insensitive losses", AT_LEAST_0, usually="0.1"
    )
    huber: float | None = choice(
        "loss", "residual from which the Huber loss is linear", POSITIVE, usually="1"
    )
    quantile: float | None = choice(
        "loss", "quantile that the quantile loss estimates", Number(above=0, below=1), usually="0.5"
    )
    slope: float | None = choice(
        "loss",
        "minus the derivative of the generalized hinge at negative margins",
        Number(above=1, below=1e100),
        usually="2",
    )
    power: float | None = choice(
        "loss",
        "power p of the mean that the variance of the Tweedie loss is; beyond 2 it is not convex",
        Number(above=1, below=2, why=": 1 is poisson, 2 gamma, and beyond 2 it is not convex"),
        usually="1.5",
    )
    beta: float | None = choice(
        "loss", "weight of recall in F_beta, above 1 more than precision", MODERATE, usually="1"
    )
    k: int | None = choice(
        "loss",
        "positive labels that precision-at-k and recall-at-k count",
        Whole(1),
        usually="the number of positive examples",
    )
    nu: float | None = choice(
        "solver",
        "largest fraction of the examples that the one-class machine leaves outside",
        Number(above=0, most=1),
        usually="0.5",
    )
    budget: float | None = choice(
        "objective",
        "largest weighted sum m of all |duals|; with the hinge only the m largest losses count",
        MODERATE,
        needs=frozenset({"one-score", "pieces"}),
    )
    free_bias: bool | None = choice(
        "objective",
        "leave the bias out of the regularizer",
        Switch(),
        needs=frozenset({"examples"}),
    )
    observed: bool | None = choice(
        "objective",
        "a column and a label have a weight only if they occur together in the training data, as "
        "by default in CRFsuite; other weights are 0",
        Switch(),
        needs=frozenset({"chain"}),
        excluded_by=("groups", "lower", "upper", "penalty_factors", "unpenalized"),
    )
    option: str | None = choice(
        "solver",
        "dual step of a visit: I, to the maximum; II to V, the shorter ones of the paper",
        Names(("I", "II", "III", "IV", "V")),
        usually="I",
        needs=ONE_SCORE,
    )
    sampling: str | None = choice(
        "solver",
        "order of visits: a new permutation each pass, or uniform draws",
        Names(("permutation", "uniform")),
        usually="permutation",
        needs=ONE_SCORE,
    )
    averaging: bool | None = choice(
        "solver",
        "return an average: of the last passes (32) or of all steps (41); 37 and 38 then have no "
        "restarts, and return the average of all steps if it is better than the last step",
        Switch(),
        needs=ONE_SCORE,
    )
    line_search: str | None = choice(
        "solver",
        "point of the next plane: ocas, after a line search; none, at the minimum of the model",
        Names(("ocas", "none")),
        usually="ocas; none for 40",
    )
    route: str | None = choice(
        "solver",
        "variables of the steps: primal, the weights; dual; or smoothed-dual",
        Names(("primal", "smoothed-dual", "dual")),
        usually="chosen by the problem",
        values_need={"dual": DUAL, "smoothed-dual": DUAL},
    )
    lipschitz: str | None = choice(
        "solver",
        "Lipschitz constant: adaptive, found by trial; fixed, by power iteration",
        Names(("adaptive", "fixed")),
        usually="adaptive",
        values_need={"fixed": EXAMPLES},
    )
    prox: str | None = choice(
        "solver",
        "prox-function of the duals: plain, or optimized by the data",
        Names(("plain", "optimized")),
        usually="plain",
        values_need={"optimized": EXAMPLES},
    )
    ratio: float | None = choice(
        "solver",
        "step of the weights divided by that of the duals",
        MODERATE,
        usually="balanced by the run",
    )
    storage: str | None = choice(
        "solver",
        "variables kept twice: weights (double-primal) or duals (double-dual)",
        Names(("double-primal", "double-dual")),
        usually="the smaller",
    )
    accelerate: bool | None = choice(
        "solver",
        "accelerate where the plain descent is slow, then end by Newton's method; not if False",
        Switch(usual=True),
    )
    inner: str | int | None = choice(
        "solver",
        "length of inner problems: adaptive, theory (the paper's), or a number of passes",
        NamesOrWhole(("adaptive", "theory"), "passes"),
        usually="adaptive",
        values_need={"theory": frozenset({"bounded"})},
        excluded_by=("free_bias",),
    )
    block: str | None = choice(
        "solver",
        "block solver: knapsack, walrus (both exact) or shark",
        Names(("knapsack", "walrus", "shark")),
        usually="knapsack",
    )
    batch: int | None = choice(
        "solver", "examples in a step; a number above their count means all", Whole(1), usually="1"
    )
    tolerance: float | None = choice(
        "stopping",
        "tolerance of the type's own stopping rule: LIBLINEAR's types have LIBLINEAR's rules; 30 "
        "and 31 then stop when the gap is at most this times the gap after the first pass",
        POSITIVE,
        usually="0.01 for 0, 2, 5, 6 and 21; 0.0001 for 11; 0.1 for 1, 3, 4, 7, 12 and 13; none "
        "for 30 and 31",
        excluded_by=("gap_tol",),
    )
    gap_tol: float | None = choice(
        "stopping",
        "stop when the gap is at most r times the primal objective",
        POSITIVE,
        usually="0.001; none for types with their own stopping rule",
    )
    max_passes: int = choice(
        "stopping", "most passes over the data, for each problem", Whole(1), 100_000
    )
    time_limit: float | None = choice(
        "stopping", "most seconds of solving", Number(above=0, finite=False)
    )
    seed: int = choice("run", "seed of the order of visits and of folds", Whole(0, 2**64 - 1), 0)
    threads: int = choice("run", "threads of the solver", Whole(1), 1)
    memory: int | None = choice(
        "run",
        "bytes of memory for examples, duals and weights; a container that is larger is streamed",
        Size(1),
        usually="half of the available memory",
        needs=frozenset({"examples"}),
    )


#: The rows by their names.
CHOICES: dict[str, Choice] = {
    field.name: replace(
        field.metadata["row"],
        name=field.name,
        default=NO_WEIGHTS if field.name == "class_weights" else field.default,
    )
    for field in fields(Choices)
}


_OPTIONAL = tuple(name for name, row in CHOICES.items() if row.default is None)
_USUAL = {name: row.values.usual for name, row in CHOICES.items() if isinstance(row.values, Switch)}


def given(choices: Choices) -> tuple[str, ...]:
    """The names of the choices made, except those that always have a value."""
    values = vars(choices)
    made = [name for name in _OPTIONAL if values[name] is not None]
    return (*made, "class_weights") if choices.class_weights else tuple(made)


def switched(choices: Choices) -> dict[str, bool]:
    """The switches that do not stand where they usually do."""
    values = vars(choices)
    return {name: not usual for name, usual in _USUAL.items() if values[name] is (not usual)}
