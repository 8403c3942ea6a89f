"""The rows of the tables of choices, losses and regularizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.values import Number, Values
from rrmlinear.core.loading import named
from rrmlinear.core.records import record

if TYPE_CHECKING:
    from rrmlinear.solvers.loop.solver import Solver

#: The default of a number that has none: it must be given.
NEEDED = None
#: No numbers of a row.
NONE: Mapping[str, Any] = MappingProxyType({})
#: Numbers of single weights that regularizers of separate weights take.
BOUNDS = ("lower", "upper", "penalty_factors")


class Feature(NamedTuple):
    """An ability that rows need and offer: who offers it, its name, and words for its lack."""

    of: str
    needed: str
    lacking: str


#: The names in sets of needs and offers.
FEATURES = {
    "classes": Feature("loss", "losses of classes", "has numbers as labels"),
    "one-score": Feature("loss", "losses of one score", "has several"),
    "several-columns": Feature("loss", "several columns of weights", "has one"),
    "examples": Feature("loss", "losses that are sums over examples", "is not one"),
    "chain": Feature("loss", "losses of sequences", "is of single examples"),
    "measure": Feature("loss", "losses of all labels at once", "is a different one"),
    "order": Feature("loss", "losses of ranks and of times", "is a different one"),
    "labellings": Feature(
        "loss", "the largest score of a labelling, without smoothing", "is a different one"
    ),
    "smooth": Feature("loss", "a smooth loss", "has a kink"),
    "bounded": Feature(
        "loss",
        "a loss whose slopes or second derivatives have a bound",
        "has exponentials, whose slopes and second derivatives have none",
    ),
    "pieces": Feature(
        "loss",
        "losses whose duals are sums of clipped lines, as those of the hinge and of absolute "
        "residuals",
        "has others",
    ),
    "least-squares": Feature("loss", "the squared loss", "is a different one"),
    "prox": Feature("regularizer", "a regularizer with a prox", "has none"),
    "soft-threshold": Feature(
        "regularizer", "a regularizer of squared norm and 1-norm alone", "is a different one"
    ),
    "strongly-convex": Feature("regularizer", "a strongly convex regularizer", "is not"),
    "linear": Feature("regularizer", "the squared norm alone", "is a different one"),
}


@record()
class Choice:
    """A field of `Parameter`.

    ``meaning`` is one plain sentence; ``default`` stands where nothing is chosen, and where it is
    None, ``usually`` says the default in words. ``owner`` says whose choice it is: that of the
    "objective", a "loss", a "regularizer", a "solver", the "stopping" rule or the "run".

    A choice without effect is refused. It has none if loss and regularizer do not offer ``needs``,
    if a choice of ``excluded_by`` is given, or if none of ``only_with`` is given. ``values_need``
    holds the features that single values need.
    """

    meaning: str
    owner: str
    values: Values
    usually: str = ""
    needs: frozenset[str] = frozenset()
    excluded_by: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    values_need: Mapping[str, frozenset[str]] = field(default_factory=lambda: NONE)
    name: str = ""
    default: Any = None

    @property
    def default_text(self) -> str:
        """The default in words, or "" where nothing happens."""
        if self.usually or self.default is None:
            return self.usually
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)


def choice(owner: str, meaning: str, values: Values, default: Any = None, **more: Any) -> Any:
    """The field of a dataclass that has a row of the table of choices."""
    row = Choice(meaning, owner, values, **more)
    if isinstance(default, Mapping):
        return field(default_factory=lambda: default, metadata={"row": row})
    return field(default=default, metadata={"row": row})


@record()
class LossRow:
    """A loss by its name.

    ``kind`` is the kind of labels:

    - "binary": ±1; with more than two classes one problem for each class;
    - "multiclass": classes, all in one problem;
    - "measure": two classes, the larger label positive, and a loss of all labels at once;
    - "regression": real numbers;
    - "vectors": a number for each column of weights;
    - "one-class": no labels;
    - "chain": a class for each position of a sequence.

    What stands at ``maker``, see `named`, makes the loss of the numbers that it ``takes``, in their
    order. Their defaults are the values; those of ``positive`` may not be 0. ``link`` names the
    way from scores to probabilities, or of numbers to their means. ``labels`` are those that a loss
    of numbers takes, None for all. ``threshold`` says whether models have a threshold ρ of
    scores. ``title`` is the name of 1 minus a measure's loss in reports, next to the accuracy.
    """

    name: str
    kind: str
    formula: str
    maker: str | Callable[..., Any]
    takes: Mapping[str, Any] = field(default_factory=lambda: NONE)
    features: frozenset[str] = frozenset()
    positive: tuple[str, ...] = ()
    link: str | None = None
    threshold: bool = False
    title: str = ""
    labels: Number | None = None

    def build(self, *numbers: Any) -> Any:
        """The loss with these numbers."""
        return (named(self.maker) if isinstance(self.maker, str) else self.maker)(*numbers)

    def offers(self, numbers: Mapping[str, Any]) -> frozenset[str]:
        """Features with these numbers: a loss that takes a smoothing becomes smooth, and then is no
        largest score of a labelling.
        """
        of_kind = {
            "binary": {"examples", "one-score", "classes"},
            "multiclass": {"examples", "several-columns", "classes"},
            "regression": {"examples", "one-score"},
            "vectors": {"examples", "several-columns"},
            "one-class": {"examples", "one-score"},
            "chain": {"chain"},
            "measure": {"measure", "classes"},
        }[self.kind]
        smoothed = {"smooth"} if "smoothing" in self.takes and numbers.get("smoothing") else set()
        bounded = set() if self.link == "exp" else {"bounded"}
        if "order" in self.features:
            of_kind = set()
        return (self.features | of_kind | smoothed | bounded) - (
            {"labellings"} if smoothed else set()
        )

    def means(self, scores: NDArray[Any]) -> NDArray[Any]:
        """What numbers are on average at these scores: the scores, eᵃ or 1/(1 + e⁻ᵃ)."""
        if self.link == "exp":
            return np.asarray(np.exp(scores))
        return scores if self.link is None else np.asarray(np.exp(-np.logaddexp(0.0, -scores)))

    def scores(self, means: NDArray[Any]) -> NDArray[Any]:
        """The scores of means, the inverse of `means`; an end of their range is far away."""
        tiny = float(np.finfo(float).tiny)
        logs = np.log(np.maximum(means, tiny))
        if self.link == "exp":
            return np.asarray(logs)
        return means if self.link is None else logs - np.log(np.maximum(1 - means, tiny))

    def check_labels(self, y: NDArray[Any]) -> None:
        """Raise ValueError for labels that the loss does not take, with the first of them."""
        if self.labels is None or not len(y) or self.labels.holds(float(y.min()), float(y.max())):
            return
        at = next(i for i, label in enumerate(y) if not self.labels.admits(float(label)))
        raise ValueError(
            f"example {at + 1} has label {y[at]:g}; with loss {self.name} it must "
            f"{self.labels.allowed}"
        )

    @property
    def could_offer(self) -> frozenset[str]:
        """Features with the best numbers."""
        return self.offers({}) | self.offers({"smoothing": 1.0})


@record()
class SolverRow:
    """A solver type: its number, its name in model files, and how a Task becomes its solver.

    ``builder`` is the class of solvers that takes the Task, or a function of it, or their place,
    see `named`; ``how`` are its other arguments.

    ``needs`` are sets of features, one of which loss and regularizer must offer together.
    ``choices`` are those that have an effect, but for the numbers of losses and regularizers;
    ``loss`` and ``regularizer`` are the default ones, and the only ones unless they are choices;
    ``numbers`` are those of its own loss that may be chosen. ``blocks`` are the block solvers it
    has. ``tolerance`` is the default of its own stopping rule, if it has one: what stands at
    ``rule`` makes LIBLINEAR's of a task and a tolerance; without it the rule is on the gap after
    the first pass.
    ``excludes`` are pairs of a choice and another that leaves it without effect here: a switch does
    so where it does not stand as usual. ``starts`` says whether it can begin from another run, and
    ``form`` whether LIBLINEAR minimizes its "primal" or its "dual". ``proves`` says whether the
    gap must be small too when the rule holds. Duals of the 1-norm are scaled by the largest
    violation, which leaves a wide gap near the optimum. ``graphs`` says whether a type for
    sequences takes other graphs too.
    """

    number: int | str
    name: str
    summary: str
    needs: tuple[frozenset[str], ...]
    choices: tuple[str, ...]
    builder: str | Callable[..., Solver]
    loss: str = "hinge"
    blocks: tuple[str, ...] = ()
    excludes: tuple[tuple[str, str], ...] = ()
    starts: bool = True
    regularizer: str = "l2"
    numbers: tuple[str, ...] = ()
    tolerance: float | None = None
    rule: str = ""
    form: str = "dual"
    proves: bool = True
    how: Mapping[str, str] = field(default_factory=lambda: NONE)
    graphs: bool = True

    @property
    def is_liblinear(self) -> bool:
        """Whether LIBLINEAR has this type."""
        return self.rule != ""

    def build(self, task: Any) -> Solver:
        """The solver of a `Task`."""
        make = named(self.builder) if isinstance(self.builder, str) else self.builder
        solver: Solver = make(task, **self.how)
        return solver


@record()
class RegularizerRow:
    """A regularizer by its name.

    ``build`` makes it of the numbers that it ``takes``, in their order; their defaults are the
    values, NEEDED where one must be given. With ``radius`` it is the constraint norm ≤ radius.
    ``bounded`` says whether weights may have bounds and factors too. ``excludes`` are pairs of a
    choice and another that leaves it without effect. ``needs`` are features that the loss or the
    layout must offer, and ``single`` names the regularizer that it would be without them.
    """

    name: str
    meaning: str
    formula: str
    build: Callable[..., Any]
    takes: Mapping[str, Any] = field(default_factory=lambda: NONE)
    features: frozenset[str] = frozenset()
    positive: tuple[str, ...] = ()
    radius: bool = False
    bounded: bool = False
    excludes: tuple[tuple[str, str], ...] = ()
    needs: frozenset[str] = frozenset()
    single: str = ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices of regularizers that have an effect with this one."""
        bounds = BOUNDS if self.bounded else ()
        radius = ("radius",) if self.radius else ()
        return tuple(dict.fromkeys((*self.takes, *radius, *bounds)))

    @property
    def needed(self) -> tuple[str, ...]:
        """The choices that must be given."""
        return tuple(name for name, default in self.takes.items() if default is NEEDED)

    def offers(self, bounds: bool = False, unpenalized: bool = False) -> frozenset[str]:
        """Features, with bounds or factors of weights, or columns that have no penalty."""
        lost = {"linear", "soft-threshold"} if bounds or unpenalized else set()
        lost |= {"strongly-convex"} if unpenalized else set()
        return (self.features | {"prox"}) - lost


def resolved(takes: Mapping[str, Any], choices: Any) -> dict[str, Any]:
    """The numbers of a row as chosen, or their defaults."""
    numbers = dict(takes)
    for name in takes:
        if (value := getattr(choices, name)) is not None:
            numbers[name] = value
    return numbers
