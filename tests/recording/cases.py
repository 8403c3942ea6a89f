"""What is recorded: solver types × losses × regularizers in turn, layouts of problems, doors.

Names of types, losses and regularizers are written out, as the recording is of them. Each case runs
to its tolerance, so that two methods that solve it find the same objective.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A fit to record.

    door      "fit" with a Parameter; "train", the command line; "path"; or an estimator's name
    problem   one of `problems`
    choices   of the Parameter, of the path or of the estimator
    bias      of the appended column of "fit" and "train", negative for none
    start     choices of a fit before, whose model this one starts from
    """

    problem: str
    choices: dict[str, Any]
    door: str = "fit"
    bias: float = -1.0
    start: dict[str, Any] = field(default_factory=dict)


CASES: dict[str, Case] = {}
#: Relative gaps that slow methods reach in a moment; others reach the first.
TOLERANCES: dict[Any, float] = {None: 1e-5, 34: 1e-3, 39: 1e-3, 40: 3e-2, 41: 5e-2}


def add(problem, choices, **more):
    """A case, named by all that it is of."""
    case = Case(problem, choices, **more)
    said = [f"{name} {value}" for name, value in choices.items() if name != "gap_tol"]
    bias = f" and {case.bias:g}" if case.bias > 0 else ""
    start = f" from {case.start['solver']}" if case.start else ""
    name = f"{case.door}: {', '.join([problem + bias, *said])}{start}"
    if name in CASES:
        raise ValueError(f"the case {name!r} is there twice")
    CASES[name] = case


def fits(problem, bias, choices, **more):
    """A case of `fit` to the tolerance of its solver type."""
    tolerance = TOLERANCES.get(choices["solver"], TOLERANCES[None])
    add(problem, {"C": 0.4, "gap_tol": tolerance} | choices, bias=bias, **more)


#: Losses with the problem that has their labels, and numbers that are not the default.
LOSSES = {
    "squared": ("line", {}),
    "hinge": ("two", {}),
    "softmax": ("three", {}),
    "absolute": ("line", {}),
    "smooth-hinge": ("two", {"smoothing": 0.7}),
    "crammer-singer": ("three", {}),
    "epsilon-insensitive": ("line", {"epsilon": 0.2}),
    "squared-hinge": ("two", {}),
    "softmax-of-hinge": ("three", {"smoothing": 0.8}),
    "squared-epsilon-insensitive": ("line", {"epsilon": 0.15}),
    "generalized-hinge": ("two", {"slope": 2.5}),
    "smooth-crammer-singer": ("three", {"smoothing": 0.7}),
    "huber": ("line", {"huber": 0.6}),
    "logistic": ("two", {}),
    "weston-watkins": ("three", {}),
    "quantile": ("line", {"quantile": 0.3}),
}
#: Those with a kink, which FISTA takes smoothed.
KINKED = ("absolute", "epsilon-insensitive", "quantile", "hinge", "generalized-hinge")
KINKED += ("crammer-singer", "weston-watkins")
GROUPS = [[0, 2], [1, 3, 4], [5]]
#: Regularizers with what they need.
REGULARIZERS = {
    "l2": {},
    "elastic-net": {"l1": 0.3},
    "l1": {"l1": 0.5},
    "l21": {},
    "elastic-ball": {"l1": 0.2, "radius": 0.4},
    "l2-norm": {},
    "linf": {},
    "l1inf": {},
    "group-lasso": {"groups": GROUPS},
    "sparse-group-lasso": {"groups": GROUPS, "l1": 0.2},
    "exclusive-lasso": {"groups": GROUPS},
    "trace-norm": {},
    "squared-group-norm": {"groups": GROUPS},
}
#: Those over the rows or singular values of several columns of weights.
OF_COLUMNS = ("l21", "l1inf", "trace-norm")
CONVEX = ("l2", "elastic-net")
#: Solver types with the regularizers that they take and the first loss of theirs.
TYPES = {
    32: (CONVEX, 0),
    33: (CONVEX, 1),
    34: (CONVEX, 2),
    35: (tuple(REGULARIZERS), 3),
    36: (tuple(REGULARIZERS), 6),
    37: (tuple(REGULARIZERS), 9),
    38: (tuple(REGULARIZERS), 12),
    39: (CONVEX, 5),
    40: (CONVEX, 7),
    41: (("l2",), 3),
    42: (tuple(REGULARIZERS), 4),
    "newton": (tuple(REGULARIZERS), 8),
    "auto": (tuple(REGULARIZERS), 10),
}
#: Fewest cases of a type.
FEWEST = 4

for solver, (regularizers, first) in TYPES.items():
    losses = [name for name in LOSSES if solver != 41 or LOSSES[name][0] != "three"]
    for turn in range(max(FEWEST, len(regularizers))):
        regularizer = regularizers[turn % len(regularizers)]
        at = first + 5 * turn
        while regularizer in OF_COLUMNS and LOSSES[losses[at % len(losses)]][0] != "three":
            at += 1
        loss = losses[at % len(losses)]
        problem, numbers = LOSSES[loss]
        smoothing = {"smoothing": 0.5} if solver == 42 and loss in KINKED else {}
        own = {"regularizer": regularizer} | REGULARIZERS[regularizer]
        fits(problem, -1, {"solver": solver, "loss": loss} | numbers | smoothing | own)

#: LIBLINEAR's types and the block solvers, to a gap and by rules of their own.
for solver, problem in (
    *((number, "two") for number in (0, 1, 2, 3, 5, 6, 7)),
    *((number, "line") for number in (11, 12, 13)),
    *((number, "three") for number in (4, 30, 31)),
):
    fits(problem, 1, {"solver": solver})
fits("two", -1, {"solver": 21})
fits("five sparse", -1, {"solver": 30, "tolerance": 0.01, "gap_tol": None})
fits("five sparse", 1, {"solver": 30, "block": "walrus"})
fits("iris", 1, {"solver": 30, "accelerate": True, "C": 10.0})
fits("two", -1, {"solver": 32, "max_passes": 3, "gap_tol": 1e-12})

#: Layouts of rows, weights and conditions, over the methods in turn.
METHODS = (32, 33, 35, 37, 39, 42, "newton", "auto")
LAYOUTS = (
    ("two sparse", 1, {"loss": "logistic"}),
    ("two sparse single", -1, {"loss": "smooth-hinge"}),
    ("two single", 1, {"loss": "squared-hinge"}),
    ("two weighted", 1, {"loss": "logistic", "class_weights": {1: 2.0, -1: 0.7}}),
    ("line scaled", 1, {"loss": "huber", "C": 1e-2}),
    ("line wide", -1, {"loss": "squared"}),
    ("five sparse", 1, {"loss": "softmax", "threads": 2}),
    ("three weighted", -1, {"loss": "smooth-crammer-singer", "class_weights": {0: 2.0}}),
    ("two long", 1, {"loss": "logistic", "threads": 2}),
)
for at, solver in enumerate(METHODS):
    for step in (0, 3):
        problem, bias, choices = LAYOUTS[(2 * at + step) % len(LAYOUTS)]
        fits(problem, bias, {"solver": solver} | choices)
for solver in (32, 35, 39, "newton", "auto"):
    fits("two", 1, {"solver": solver, "loss": "smooth-hinge", "free_bias": True})
for solver in (32, "auto"):
    fits("iris", 1, {"solver": solver, "loss": "smooth-hinge", "C": 0.05})
for solver in (36, 37, "newton"):
    fits("two weighted", 1, {"solver": solver, "loss": "hinge", "budget": 30.0, "free_bias": True})
for solver in (35, 38, 42, "auto"):
    of_weights = {"unpenalized": [2]} if solver == 42 else {"lower": -0.05, "upper": 0.1}
    fits("two", -1, {"solver": solver, "loss": "smooth-hinge"} | of_weights)
for solver in (32, 34, 37, "auto"):
    before = {"solver": 32, "loss": "huber", "C": 0.2, "gap_tol": 1e-3}
    fits("line sparse", 1, {"solver": solver, "loss": "huber"}, start=before)
for solver, loss in (("lbfgs", "crf"), ("newton-cg", "crf"), ("marginals", "crf"), ("bcfw", "m3n")):
    fits("chains", -1, {"solver": solver, "loss": loss})
for solver, loss in ((39, "f1"), ("auto", "prbep"), (35, "roc-area")):
    fits("two", 1, {"solver": solver, "loss": loss, "gap_tol": 1e-3})

for choices in ({"s": 30, "c": 0.5}, {"s": 37, "loss": "absolute"}, {"s": 7}):
    add("iris", choices, door="train", bias=1)
NET = {"regularizer": "elastic-net", "l1": 0.1}
add("two", {"loss": "squared-hinge", "Cs": [0.01, 0.1, 1.0], "tol": 1e-5} | NET, door="path")
add("line", {"loss": "absolute", "Cs": [0.1, 0.3], "regularizer": "l1"}, door="path")
add("three", {"loss": "softmax", "Cs": [0.01, 0.1], "solver": "agm"}, door="path")

WEIGHT = {"fit_intercept": "regularized"}
for estimator, problem, choices in (
    ("WestonWatkinsSVC", "three weighted", {"solver": "walrus", "class_weight": "balanced"}),
    ("WestonWatkinsSVC", "two", {"fit_intercept": False, "solver": "shark"}),
    ("LinearClassifier", "two", {"loss": "logistic", **WEIGHT}),
    ("LinearClassifier", "three", {"loss": "squared-hinge"}),
    ("LinearClassifier", "two sparse", {"loss": "hinge", "alpha": 0.01, **NET}),
    ("LinearClassifier", "two weighted", {"loss": "smooth-hinge", "class_weight": {1: 2.0}}),
    ("LinearClassifier", "two", {"budget": 40.0, "C": 0.1, "solver": "pdprox-dual"}),
    ("LinearClassifier", "three", {"loss": "crammer-singer", "regularizer": "l21"}),
    ("LinearRegressor", "line", {"alpha": 0.01, "regularizer": "elastic-net", "l1_ratio": 0.7}),
    ("LinearRegressor", "line weighted", {"loss": "huber", "huber": 0.4}),
    ("LinearRegressor", "line sparse", {"loss": "epsilon-insensitive", "C": 0.5, **WEIGHT}),
    ("LinearRegressor", "line", {"loss": "absolute", "solver": "newton"}),
    ("KernelClassifier", "two", {"kernel": "rbf", "kernel_params": {"gamma": 0.1}, "C": 2.0}),
    ("KernelClassifier", "three", {"loss": "softmax", "kernel": "poly", "n_components": 20}),
    ("KernelRegressor", "line", {"loss": "absolute", "kernel": "linear", "budget": 6.0}),
    ("MultiTaskRegressor", "tasks", {"loss": "squared", "regularizer": "l21"}),
    ("MultiTaskRegressor", "tasks", {"loss": "huber", "regularizer": "trace-norm"}),
    ("MultiTaskRegressor", "targets", {"loss": "distance", "regularizer": "l21"}),
    ("MatrixCompletion", "entries", {"loss": "squared", "alpha": 0.01}),
    ("MatrixCompletion", "ratings", {"loss": "hinge", "thresholds": [0.0, 1.0], "alpha": 0.02}),
):
    add(problem, choices, door=estimator)
