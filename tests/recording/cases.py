"""What is recorded: each case is a problem by its name, and the choices of a fit.

The first part has every solver type with each of its losses and regularizers, for a few passes.
The second has the other choices, one by one, for a few passes and to a tolerance. The names of
types, losses and regularizers are written out here, as the recording is of them.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

#: Few enough for rounding to stay small.
PASSES = 6


@dataclass(frozen=True)
class Case:
    """A fit to record.

    door      "fit" with a Parameter; "train", the command line; "path"; or an estimator's name
    problem   one of `problems`
    choices   of the Parameter, or of the estimator; arguments of the command line
    bias      of the appended column of "fit", negative for none
    start     choices of a fit before, whose model this one starts from
    within    how far weights and objectives may be off, relative, on the machine recorded;
              infinite: the primal objectives agree by their gaps, passes need not
    why       the reason where ``within`` is not the default
    slow      whether the test is marked so
    """

    problem: str
    choices: Any
    door: str = "fit"
    bias: float = -1.0
    start: dict[str, Any] = field(default_factory=dict)
    within: float = 1e-12
    why: str = ""
    slow: bool = False


CASES: dict[str, Case] = {}


def add(name, problem, choices, **more):
    if name in CASES:
        raise ValueError(f"the case {name!r} is there twice")
    CASES[name] = Case(problem, choices, **more)


# 1. Every solver type, loss and regularizer.

#: Losses by the problem that has their labels, with numbers that are not the default.
LOSSES = {
    "line": {
        "squared": {},
        "absolute": {},
        "epsilon-insensitive": {"epsilon": 0.2},
        "squared-epsilon-insensitive": {"epsilon": 0.15},
        "huber": {"huber": 0.6},
        "quantile": {"quantile": 0.3},
    },
    "two": {
        "hinge": {},
        "smooth-hinge": {"smoothing": 0.7},
        "squared-hinge": {},
        "generalized-hinge": {"slope": 2.5},
        "logistic": {},
    },
    "three": {
        "crammer-singer": {},
        "smooth-crammer-singer": {"smoothing": 0.7},
        "softmax-of-hinge": {"smoothing": 0.8},
        "softmax": {},
        "weston-watkins": {},
    },
}
#: Those with a kink, which some solvers take smoothed.
SMOOTHED = {
    *("absolute", "epsilon-insensitive", "quantile", "hinge", "generalized-hinge"),
    *("crammer-singer", "weston-watkins"),
}
#: Regularizers with what they need, for the problems of six columns.
GROUPS = [[0, 2], [1, 3, 4], [5]]
REGULARIZERS = {
    "l2": {},
    "elastic-net": {"l1": 0.3},
    "l1": {"l1": 0.5},
    "elastic-ball": {"l1": 0.2, "radius": 0.4},
    "l2-norm": {},
    "linf": {},
    "group-lasso": {"groups": GROUPS},
    "sparse-group-lasso": {"groups": GROUPS, "l1": 0.2},
    "exclusive-lasso": {"groups": GROUPS},
    "squared-group-norm": {"groups": GROUPS},
    "l21": {},
    "l1inf": {},
    "trace-norm": {},
}
#: Those over the rows or singular values of several columns of weights.
OF_COLUMNS = ("l21", "l1inf", "trace-norm")
FIRST = ("l2", "elastic-net")
#: Solver types with the regularizers that they take.
TYPES = {
    32: FIRST,
    33: FIRST,
    34: FIRST,
    35: tuple(REGULARIZERS),
    36: tuple(REGULARIZERS),
    37: tuple(REGULARIZERS),
    38: tuple(REGULARIZERS),
    39: FIRST,
    40: FIRST,
    41: ("l2",),
    42: tuple(REGULARIZERS),
    "newton": ("l2",),
    "sdca": FIRST,
}
OF_ONE_SCORE = (41, "newton")


def with_regularizer(name):
    return ({} if name == "l2" else {"regularizer": name}) | REGULARIZERS[name]


for solver, regularizers in TYPES.items():
    for problem, losses in LOSSES.items():
        if problem == "three" and solver in OF_ONE_SCORE:
            continue
        for loss, numbers in losses.items():
            for regularizer in regularizers:
                if regularizer in OF_COLUMNS and problem != "three":
                    continue
                smoothing = {"smoothing": 0.5} if solver == 42 and loss in SMOOTHED else {}
                add(
                    f"{solver} {loss} {regularizer}",
                    problem,
                    {"solver": solver, "loss": loss, "gap_tol": 1e-12, "max_passes": PASSES}
                    | {"C": 0.1 if solver == 40 else 0.4}
                    | numbers
                    | smoothing
                    | with_regularizer(regularizer),
                )

# 2. The other choices. Each line: problem, bias, choices; recorded for a few passes, or to a
# tolerance where gap_tol is given.


def name_of(title, problem, bias, choices):
    """A name that tells a line from the others of its title, wherever it stands."""
    said = [f"{name} {value}" for name, value in choices.items()]
    with_bias = f" and {bias:g}" if bias > 0 else ""
    return f"{title}: {', '.join([problem + with_bias, *said])}"


def each(title, *lines, **shared):
    """Cases of one idea, with the choices that they share."""
    for problem, bias, own in lines:
        rules = {"gap_tol": 1e-12, "max_passes": PASSES} | shared
        if "gap_tol" in own:
            rules["max_passes"] = 4000
        choices = rules | own
        add(name_of(title, problem, bias, own), problem, choices, bias=bias)


WW = "weston-watkins"


def cheap(solver):
    """The first steps of 40 are above the start with a larger C."""
    return {"C": 0.02} if solver == 40 else {}


BALL = {"l1": 0.1, "radius": 0.4}
ALL_OF_GRADIENTS = (34, 35, 36, 37, 38, 39, 40, 42, "newton", "batch")

each(
    "weston-watkins",
    ("three", -1, {"block": "knapsack"}),
    ("three", -1, {"block": "walrus"}),
    ("three", -1, {"block": "shark"}),
    ("three", 1, {"solver": 31}),
    ("five sparse", 1, {"block": "knapsack"}),
    ("five sparse", 1, {"block": "walrus"}),
    ("five sparse", 1, {"block": "shark"}),
    ("five sparse", -1, {"seed": 7}),
    ("three weighted", -1, {"class_weights": {0: 2.0, 2: 0.5}}),
    ("three weighted", 1, {"block": "walrus", "class_weights": {1: 0.3}}),
    ("three single", -1, {}),
    ("three scaled", -1, {"C": 1e-3}),
    ("eight large", 1, {"max_passes": 10}),
    ("eight large", 1, {"max_passes": 10, "threads": 2}),
    ("eight large", -1, {"block": "walrus", "threads": 2}),
    ("iris", 1, {"max_passes": 10}),
    ("iris", 1, {"gap_tol": 1e-6, "max_passes": 1000}),
    ("iris", 1, {"gap_tol": 1e-4, "block": "walrus", "max_passes": 1000}),
    ("iris", 1, {"gap_tol": 1e-3, "solver": 31, "max_passes": 1000}),
    ("five sparse", -1, {"gap_tol": 1e-8}),
    ("five sparse", -1, {"delta": 0.01, "gap_tol": None}),
    ("iris", 1, {"accelerate": True, "max_passes": 12}),
    ("iris", 1, {"accelerate": True, "inner": "theory", "max_passes": 12}),
    ("iris", 1, {"accelerate": True, "inner": "adaptive", "max_passes": 12}),
    ("iris", 1, {"accelerate": True, "inner": 3, "max_passes": 12}),
    ("three", -1, {"accelerate": True, "gap_tol": 1e-7, "C": 10.0}),
    solver=30,
    C=0.5,
)
each(
    "options of prox-sdca",
    *(
        (problem, 1, {"option": option, "loss": loss})
        for option in ("I", "II", "III", "IV", "V")
        for problem, loss in (
            ("two", "hinge"),
            ("two sparse", "logistic"),
            ("line", "huber"),
        )
        if option != "V" or loss != "hinge"
    ),
    ("two", -1, {"option": "V", "loss": "smooth-hinge"}),
    solver=32,
    C=0.3,
)
each(
    "visits of prox-sdca",
    ("two", -1, {"sampling": "uniform"}),
    ("two", -1, {"sampling": "permutation", "seed": 3}),
    ("two sparse", 1, {"averaging": True, "max_passes": 9}),
    ("two sparse", 1, {"averaging": True, "sampling": "uniform", "max_passes": 9}),
    ("line sparse", -1, {"loss": "absolute", "averaging": True, "max_passes": 9}),
    ("two sparse", -1, {"regularizer": "elastic-net", "l1": 0.4, "option": "IV"}),
    ("two sparse", -1, {"regularizer": "elastic-net", "l1": 0.4, "sampling": "uniform"}),
    ("two single", -1, {}),
    ("two sparse single", 1, {"loss": "squared-hinge"}),
    ("line single", 1, {"loss": "squared"}),
    ("two weighted", -1, {"class_weights": {1: 3.0}}),
    ("line weighted", 1, {"loss": "epsilon-insensitive"}),
    ("two scaled", -1, {"C": 1e-2}),
    ("line scaled", 1, {"loss": "squared", "C": 1e-2}),
    ("two large", 1, {"threads": 2, "loss": "logistic"}),
    ("two large", -1, {"threads": 2, "regularizer": "elastic-net", "l1": 0.5}),
    ("line large", -1, {"threads": 2, "loss": "huber"}),
    ("eight large", -1, {"threads": 2, "loss": "softmax"}),
    ("two large", 1, {"gap_tol": 1e-7, "loss": "logistic", "C": 0.1}),
    ("two large", 1, {"gap_tol": 1e-5, "loss": "hinge", "C": 0.1}),
    ("two", -1, {"gap_tol": 1e-8}),
    ("two", -1, {"gap_tol": None, "max_passes": 500}),
    solver=32,
    C=0.5,
)
each(
    "accelerated ascent",
    ("two", -1, {"inner": "adaptive"}),
    ("two", -1, {"inner": "theory"}),
    ("two", -1, {"inner": 3}),
    ("two sparse", 1, {"loss": "logistic", "inner": 2}),
    ("line", 1, {"loss": "absolute", "inner": "theory"}),
    ("three", -1, {"loss": "crammer-singer", "inner": 4}),
    ("two scaled", -1, {"loss": "logistic"}),
    ("two", -1, {"solver": "sdca", "inner": "theory", "loss": "squared-hinge"}),
    ("two", -1, {"solver": "sdca", "inner": 5}),
    ("two", -1, {"gap_tol": 1e-6, "C": 20.0}),
    ("two large", -1, {"solver": "sdca", "gap_tol": 1e-6, "C": 5.0, "loss": "logistic"}),
    ("two weighted", 1, {"solver": "sdca", "gap_tol": 1e-7, "C": 5.0}),
    ("line", 1, {"solver": "sdca", "gap_tol": 1e-7, "loss": "absolute", "C": 5.0}),
    solver=33,
    C=4.0,
    max_passes=12,
)
each(
    "what sdca chooses",
    ("line", -1, {"loss": "squared", "regularizer": "l1", "l1": 0.7}),
    ("line", 1, {"loss": "squared", "regularizer": "l1", "l1": 0.7, "free_bias": True}),
    ("line sparse", 1, {"loss": "squared", "regularizer": "elastic-net", "l1": 0.4}),
    ("line weighted", 1, {"loss": "squared", "free_bias": True}),
    ("line single", -1, {"loss": "squared", "regularizer": "l1"}),
    ("line large", -1, {"loss": "squared", "regularizer": "l1", "gap_tol": 1e-8}),
    ("line scaled", 1, {"loss": "squared", "regularizer": "l1", "gap_tol": 1e-6}),
    ("two long", -1, {"loss": "logistic"}),
    ("two long", 1, {"loss": "squared-hinge", "free_bias": True}),
    ("two", 1, {"loss": "hinge", "free_bias": True}),
    solver="sdca",
    C=0.5,
)
each(
    "free intercepts",
    *(
        (problem, 1, {"solver": solver, "loss": loss})
        for solver in (32, "sdca", *ALL_OF_GRADIENTS)
        for problem, loss in (
            ("two", "smooth-hinge"),
            ("two sparse", "logistic"),
            ("line", "squared-epsilon-insensitive"),
        )
    ),
    *(
        (problem, 1, {"solver": solver, "loss": loss})
        for solver in (32, *ALL_OF_GRADIENTS)
        for problem, loss in (("two", "hinge"), ("line weighted", "quantile"))
        if solver != 42
    ),
    ("three", 1, {"solver": 32, "loss": "hinge"}),
    ("three", 1, {"solver": 35, "loss": "logistic"}),
    ("two", 2.5, {"solver": 37, "loss": "hinge", "regularizer": "l1"}),
    ("two", 0.5, {"solver": 35, "loss": "hinge", "regularizer": "group-lasso", "groups": GROUPS}),
    ("two", 1, {"solver": 32, "loss": "hinge", "gap_tol": 1e-5}),
    ("two", 1, {"solver": 35, "loss": "hinge", "gap_tol": 1e-5}),
    ("two", 1, {"solver": 39, "loss": "hinge", "gap_tol": 1e-6}),
    ("line", 1, {"solver": "newton", "loss": "absolute", "gap_tol": 1e-8}),
    free_bias=True,
    C=0.3,
)
each(
    "budgets",
    *(
        (problem, bias, {"solver": solver, "loss": loss, "budget": 30.0} | cheap(solver) | more)
        for solver in (34, 35, 36, 37, 38, 39, 40, "newton", "batch")
        for problem, bias, loss, more in (
            ("two", -1, "hinge", {}),
            ("two sparse", 1, "generalized-hinge", {"budget": 70.0}),
            ("line", 1, "absolute", {"free_bias": True}),
            ("two weighted", 1, "hinge", {"free_bias": True}),
        )
    ),
    ("two", -1, {"solver": 42, "loss": "smooth-hinge", "budget": 30.0}),
    ("two", 1, {"solver": 42, "loss": "smooth-hinge", "budget": 30.0, "free_bias": True}),
    ("line", -1, {"solver": 37, "loss": "quantile", "budget": 5.0, "regularizer": "l1"}),
    ("two", -1, {"solver": 37, "loss": "hinge", "budget": 30.0, "gap_tol": 1e-6}),
    ("two", 1, {"solver": 37, "loss": "hinge", "budget": 30.0, "gap_tol": 1e-6, "free_bias": True}),
    C=0.5,
)
each(
    "routes of agm",
    *(
        (problem, -1, {"solver": solver, "loss": loss, "route": route})
        for solver in (35, 36)
        for route in ("primal", "dual", "smoothed-dual")
        for problem, loss in (("two", "hinge"), ("line sparse", "huber"), ("three", "softmax"))
    ),
    ("two", -1, {"solver": 35, "prox": "optimized"}),
    ("two", -1, {"solver": 36, "prox": "optimized", "route": "dual"}),
    ("line", 1, {"solver": 35, "prox": "optimized", "loss": "absolute", "route": "smoothed-dual"}),
    ("three", -1, {"solver": 36, "prox": "optimized", "loss": "crammer-singer"}),
    ("two", -1, {"solver": 34, "lipschitz": "fixed"}),
    ("two", -1, {"solver": 34, "lipschitz": "adaptive"}),
    ("two sparse", 1, {"solver": 34, "lipschitz": "fixed", "loss": "logistic"}),
    ("two", -1, {"solver": 35, "lipschitz": "fixed"}),
    ("line", 1, {"solver": 36, "lipschitz": "fixed", "loss": "huber", "route": "primal"}),
    ("three", 1, {"solver": 35, "lipschitz": "fixed", "loss": "softmax"}),
    ("two scaled", -1, {"solver": 35, "loss": "logistic", "C": 1e-2}),
    ("two", -1, {"solver": 35, "gap_tol": 1e-6}),
    ("two", -1, {"solver": 36, "gap_tol": 1e-5, "loss": "logistic"}),
    ("two sparse", -1, {"solver": 34, "gap_tol": 1e-4, "loss": "logistic"}),
    C=0.4,
)
each(
    "steps of pdprox",
    *(
        (problem, bias, {"solver": solver} | more)
        for solver in (37, 38)
        for problem, bias, more in (
            ("two", -1, {"ratio": 0.3}),
            ("two", -1, {"storage": "double-primal"}),
            ("two", -1, {"storage": "double-dual"}),
            ("two sparse", 1, {"averaging": True, "max_passes": 9}),
            ("line", 1, {"loss": "absolute", "averaging": True, "ratio": 2.0, "free_bias": True}),
            ("three", -1, {"loss": "crammer-singer", "storage": "double-primal"}),
            ("three", 1, {"loss": WW, "regularizer": "l21", "storage": "double-dual"}),
            ("two scaled", -1, {"C": 1e-2}),
            ("two sparse single", -1, {"regularizer": "l1"}),
            ("two", -1, {"gap_tol": 1e-6}),
            ("line", -1, {"gap_tol": 1e-5, "loss": "quantile", "regularizer": "l1"}),
        )
    ),
    C=0.4,
)
each(
    "limits of weights",
    *(
        (problem, bias, {"solver": solver} | more)
        for solver in (35, 36, 37, 38, 42, "batch")
        for problem, bias, more in (
            ("two", -1, {"lower": 0.0}),
            ("line", 1, {"loss": "squared", "regularizer": "l1", "l1": 0.3, "upper": 0.1}),
            (
                "two sparse",
                1,
                {"regularizer": "elastic-net", "l1": 0.1, "lower": -0.05, "upper": 0.05},
            ),
            ("two", 1, {"unpenalized": [0, 3]}),
            ("line", -1, {"loss": "huber", "unpenalized": [1], "limit": 0.2, "regularizer": "l1"}),
        )
    ),
    ("two", -1, {"solver": 37, "lower": [-1.0, 0, 0, 0, 0, -0.1], "upper": 0.3}),
    ("three", -1, {"solver": 37, "loss": "softmax", "lower": 0.0}),
    ("two", -1, {"solver": 35, "lower": 0.0, "gap_tol": 1e-6}),
    ("two", -1, {"solver": 37, "loss": "hinge", "unpenalized": [0], "gap_tol": 1e-5}),
    loss="smooth-hinge",
    C=0.3,
)
each(
    "radii",
    *(
        (problem, -1, {"solver": solver, "loss": loss, "regularizer": regularizer} | needs)
        for solver in (35, 37, 42)
        for problem, loss in (("two", "smooth-hinge"), ("three", "softmax"))
        for regularizer, needs in (
            ("l1", {}),
            ("l2-norm", {}),
            ("linf", {}),
            ("group-lasso", {"groups": GROUPS}),
            ("sparse-group-lasso", {"groups": GROUPS, "l1": 0.2}),
            ("l21", {}),
            ("l1inf", {}),
            ("trace-norm", {}),
        )
        if problem == "three" or regularizer not in OF_COLUMNS
    ),
    ("two", 1, {"solver": 35, "regularizer": "elastic-ball", "l1": 0.1, "gap_tol": 1e-6}),
    ("two", 1, {"solver": 37, "regularizer": "l1", "gap_tol": 1e-5}),
    ("two", 1, {"solver": 36, "regularizer": "linf", "free_bias": True}),
    radius=0.3,
    C=0.5,
)
each(
    "groups",
    *(
        (problem, 1, {"solver": solver, "loss": loss, "regularizer": regularizer} | more)
        for solver in (35, 37)
        for problem, loss, more in (
            ("two sparse", "logistic", {"groups": [j % 5 for j in range(20)]}),
            ("three", "softmax", {"groups": [0, 0, 1, 1, 2, 2]}),
        )
        for regularizer in (
            "group-lasso",
            "sparse-group-lasso",
            "exclusive-lasso",
            "squared-group-norm",
        )
    ),
    ("two", -1, {"solver": 37, "regularizer": "group-lasso", "groups": GROUPS, "gap_tol": 1e-5}),
    C=0.4,
)
each(
    "cutting planes",
    *(
        (problem, bias, {"solver": solver, "loss": loss, "line_search": search})
        for solver in (39, 40)
        for search in ("ocas", "none")
        for problem, bias, loss in (
            ("two", -1, "hinge"),
            ("two sparse", 1, "logistic"),
            ("line", 1, "absolute"),
            ("three", -1, "crammer-singer"),
        )
    ),
    ("two scaled", -1, {"solver": 39, "C": 1e-2}),
    ("two large", -1, {"solver": 39, "gap_tol": 1e-4}),
    ("two", -1, {"solver": 40, "gap_tol": 1e-3, "line_search": "ocas"}),
    C=0.4,
    max_passes=10,
)
each(
    "pegasos",
    ("two", -1, {"batch": 8}),
    ("two", -1, {"batch": 1000, "averaging": True}),
    ("two sparse", 1, {"averaging": True}),
    ("line", 1, {"loss": "absolute", "batch": 3, "seed": 5}),
    ("two weighted", 1, {"loss": "logistic"}),
    ("two single", -1, {}),
    ("two large", -1, {"gap_tol": 0.05, "averaging": True, "max_passes": 200}),
    solver=41,
    C=0.2,
)
each(
    "rows and weights",
    *(
        (problem, bias, {"solver": solver, "loss": loss} | cheap(solver) | more)
        for solver in ALL_OF_GRADIENTS
        for problem, bias, loss, more in (
            ("two sparse", 1, "logistic", {}),
            ("two sparse single", -1, "smooth-hinge", {}),
            ("two single", 1, "squared-hinge", {}),
            ("two weighted", 1, "logistic", {"class_weights": {1: 2.0, -1: 0.7}}),
            ("line scaled", 1, "huber", {"C": 1e-2}),
            ("line large", -1, "squared", {"threads": 2}),
        )
    ),
    *(
        (problem, bias, {"solver": solver, "loss": loss} | more)
        for solver in (32, 34, 35, 37, 39, 42)
        for problem, bias, loss, more in (
            ("five sparse", 1, "softmax", {}),
            ("three weighted", -1, "smooth-crammer-singer", {"class_weights": {0: 2.0}}),
            ("eight large", 1, "softmax-of-hinge", {"threads": 2}),
            ("three single", -1, "softmax", {}),
        )
    ),
    C=0.3,
)
each(
    "sizes",
    *(
        (problem, bias, {"solver": solver, "loss": loss} | more)
        for solver in (32, *ALL_OF_GRADIENTS)
        for problem, bias, loss, more in (
            ("two huge", -1, "smooth-hinge", {}),
            ("two huge", 1, "logistic", {"threads": 2}),
            ("two wide", -1, "squared-hinge", {}),
        )
    ),
    *(
        ("two huge", bias, {"solver": solver, "loss": "hinge"} | more)
        for solver in (35, 37, "newton")
        for bias, more in (
            (1, {"free_bias": True}),
            (-1, {"budget": 3000.0}),
            (1, {"free_bias": True, "budget": 3000.0, "threads": 2}),
        )
    ),
    ("two wide", -1, {"solver": 33, "loss": "logistic"}),
    ("two wide", 1, {"solver": 37, "loss": "hinge", "regularizer": "l1", "l1": 0.2}),
    ("two wide", 1, {"solver": 35, "loss": "hinge", "regularizer": "elastic-ball"} | BALL),
    ("line wide", -1, {"solver": "sdca", "loss": "squared", "regularizer": "l1", "l1": 0.2}),
    ("line wide", 1, {"solver": "newton", "loss": "absolute"}),
    ("digits", 1, {"solver": 30}),
    ("digits", 1, {"solver": 30, "threads": 2}),
    ("digits", 1, {"solver": 32, "loss": "softmax"}),
    ("digits", -1, {"solver": 37, "loss": "crammer-singer", "regularizer": "l21"}),
    ("digits", -1, {"solver": 35, "loss": WW}),
    ("digits", -1, {"solver": 32, "loss": "hinge", "max_passes": 3}),
    C=0.05,
)
each(
    "one against the rest",
    *(
        (problem, 1, {"solver": solver, "loss": "smooth-hinge"} | more)
        for solver in (32, 33, 34, 35, 37, 39, 41, 42, "newton", "sdca")
        for problem, more in (("three", {}), ("iris", {"class_weights": {0: 2.0}}))
    ),
    ("five sparse", 1, {"solver": 32, "loss": "logistic", "gap_tol": 1e-6}),
    ("five sparse", 1, {"solver": 37, "loss": "hinge", "regularizer": "l1"}),
    C=0.3,
)
each(
    "to a tolerance",
    ("two", -1, {"solver": 42, "loss": "smooth-hinge", "gap_tol": 1e-8}),
    ("two", -1, {"solver": 42, "loss": "logistic", "regularizer": "l1", "gap_tol": 1e-6}),
    ("two long", 1, {"solver": "newton", "loss": "hinge", "gap_tol": 1e-9}),
    ("two long", 1, {"solver": "batch", "loss": "logistic", "gap_tol": 1e-10}),
    ("three", 1, {"solver": "batch", "loss": "softmax", "gap_tol": 1e-7}),
    ("three", 1, {"solver": 35, "loss": "softmax", "regularizer": "trace-norm", "gap_tol": 1e-5}),
    ("three", 1, {"solver": 37, "loss": WW, "regularizer": "l1inf", "gap_tol": 1e-5}),
    ("iris", 1, {"solver": "sdca", "loss": "softmax", "gap_tol": 1e-6, "C": 1.0}),
    ("iris", 1, {"solver": 32, "loss": "crammer-singer", "gap_tol": 1e-5}),
    ("line scaled", 1, {"solver": "newton", "loss": "squared", "gap_tol": 1e-8, "C": 1.0}),
    C=0.3,
)

#: Starts: the problem, the loss, and the solver types that begin from duals of type 32.
for problem, loss in (("two", "hinge"), ("line sparse", "huber"), ("three", "softmax")):
    for solver in (32, 33, 34, 35, 36, 37, 38, "batch", "sdca"):
        add(
            f"start of {solver} {loss}",
            problem,
            {"solver": solver, "loss": loss, "C": 0.4, "gap_tol": 1e-12, "max_passes": PASSES},
            bias=1,
            start={"solver": 32, "loss": loss, "C": 0.2, "gap_tol": 1e-12, "max_passes": 4},
        )
for name, problem, choices, before in (
    ("30", "five sparse", {"solver": 30}, {"solver": 30}),
    ("30 threads", "eight large", {"solver": 30, "threads": 2}, {"solver": 30}),
    ("30 accelerated", "three", {"solver": 30, "accelerate": True}, {"solver": 30}),
    ("31", "three", {"solver": 31}, {"solver": 30}),
    ("32 blocks", "three", {"solver": 32, "loss": WW}, {"solver": 30}),
    ("32 one against the rest", "three", {"solver": 32}, {"solver": 32}),
    ("32 free intercept", "two", {"solver": 32, "free_bias": True}, {"solver": 32}),
    ("37 free intercept", "two", {"solver": 37, "free_bias": True}, {"solver": 37}),
    ("37 l1", "two", {"solver": 37, "regularizer": "l1"}, {"solver": 37, "regularizer": "l1"}),
):
    rules = {"gap_tol": 1e-12, "max_passes": PASSES, "C": 0.4}
    add(f"start of {name}", problem, rules | choices, bias=1, start=rules | before | {"C": 0.1})


def as_plain(choices):
    """The choices, with the plain descent of type 30 unless they say more of it."""
    return ({"accelerate": False} if choices.get("solver") == 30 else {}) | choices


for name, case in CASES.items():
    CASES[name] = replace(case, choices=as_plain(case.choices), start=as_plain(case.start))

# 3. The command line's cross validation, the path, and the estimators.

for name, arguments in (
    ("weston-watkins", "-s 30 --no-accelerate -v 4 -c 0.5 -B 1"),
    ("softmax", "-s 32 --loss softmax -v 5 -c 0.5"),
    ("regression", "-s 35 --loss squared -v 3 -B 1 -t 40"),
    ("free intercept", "-s 37 --loss absolute -v 4 -B 1 -R -t 60"),
):
    add(f"cross validation, {name}", "iris", f"{arguments} -q", door="train")

for name, problem, choices in (
    (
        "squared-hinge",
        "two",
        {"loss": "squared-hinge", "Cs": [0.01, 0.1, 1.0], "l1": 0.1, "solver": "sdca"},
    ),
    ("lasso", "line", {"loss": "squared", "Cs": [0.1, 1.0], "l1_ratio": 0.5, "max_passes": 50}),
    (
        "softmax",
        "three",
        {"loss": "softmax", "Cs": [0.01, 0.1], "solver": "agm", "fit_intercept": False},
    ),
    ("l1", "line", {"loss": "absolute", "Cs": [0.1, 0.3], "solver": "dual", "regularizer": "l1"}),
):
    add(f"path, {name}", problem, choices, door="path")

ESTIMATORS = {
    "WestonWatkinsSVC": (
        ("three", {"max_passes": 8}),
        ("three weighted", {"solver": "walrus", "class_weight": "balanced", "max_passes": 8}),
        ("two", {"fit_intercept": False, "solver": "shark", "tol": 1e-5}),
    ),
    "SDCAClassifier": (
        ("two", {"loss": "logistic", "max_passes": 8, "tol": 1e-12}),
        (
            "three",
            {
                "loss": "squared-hinge",
                "fit_intercept": "unregularized",
                "solver": "sdca",
                "max_passes": 8,
            },
        ),
        ("two sparse", {"loss": "hinge", "alpha": 0.01, "l1": 0.2, "solver": "prox-sdca"}),
        ("three", {"loss": "softmax", "solver": "accelerated", "random_state": 4}),
        ("two weighted", {"loss": "smooth-hinge", "class_weight": {1: 2.0}, "smoothing": 0.5}),
    ),
    "SDCARegressor": (
        ("line", {"alpha": 0.01, "l1_ratio": 0.7}),
        (
            "line weighted",
            {"loss": "huber", "huber": 0.4, "fit_intercept": "unregularized", "solver": "sdca"},
        ),
        ("line sparse", {"loss": "epsilon-insensitive", "solver": "prox-sdca", "C": 0.5}),
    ),
    "RiskClassifier": (
        ("two", {"C": 0.1, "tol": 1e-6}),
        ("two", {"loss": "logistic", "solver": "fista", "l1": 0.5, "radius": 0.8}),
        ("three", {"loss": "softmax", "solver": "agm-1", "fit_intercept": False}),
        ("two sparse", {"loss": "hinge", "solver": "bmrm", "max_passes": 8}),
        ("two sparse", {"loss": "logistic", "solver": "pragam", "max_passes": 8}),
        ("two weighted", {"loss": "hinge", "solver": "ls-bmrm", "max_passes": 8}),
    ),
    "RiskRegressor": (
        ("line", {"loss": "absolute", "solver": "newton"}),
        ("line weighted", {"loss": "squared", "solver": "agm", "fit_intercept": "regularized"}),
    ),
    "NonSmoothClassifier": (
        ("two", {"regularizer": "l1", "C": 0.3, "max_passes": 9}),
        ("two", {"budget": 40.0, "C": 0.1, "tol": 1e-3}),
        ("three", {"loss": "crammer-singer", "regularizer": "l21", "fit_intercept": "regularized"}),
        ("two", {"regularizer": "group-lasso", "groups": GROUPS, "max_passes": 9}),
        ("two", {"lower": 0.0, "unpenalized": None, "storage": "double-dual", "max_passes": 9}),
    ),
    "NonSmoothRegressor": (
        ("line", {"loss": "quantile", "quantile": 0.8, "regularizer": "l1", "max_passes": 9}),
        ("line", {"regularizer": "exclusive-lasso", "groups": GROUPS, "max_passes": 9}),
        ("line sparse", {"loss": "huber", "regularizer": "elastic-net", "l1_ratio": 0.4}),
    ),
    "KernelClassifier": (
        ("two", {"kernel": "rbf", "kernel_params": {"gamma": 0.1}, "C": 2.0, "tol": 1e-5}),
        ("two", {"kernel": ["rbf", "linear"], "max_passes": 9}),
        (
            "three",
            {"loss": "softmax", "kernel": "poly", "n_components": 20, "fit_intercept": False},
        ),
        ("two", {"solver": "dual", "regularizer": "l2-norm", "n_components": 30, "max_passes": 9}),
    ),
    "KernelRegressor": (
        ("line", {"kernel": "rbf", "n_components": 25, "max_passes": 9}),
        ("line", {"loss": "absolute", "kernel": "linear", "budget": 6.0, "max_passes": 9}),
    ),
    "MultiTaskRegressor": (
        ("tasks", {"C": 0.5, "max_passes": 9}),
        ("tasks", {"loss": "squared", "regularizer": "l21", "solver": "fista", "max_passes": 9}),
        ("tasks", {"loss": "huber", "regularizer": "trace-norm", "solver": "primal"}),
        ("tasks", {"regularizer": "l1", "fit_intercept": "regularized", "max_passes": 9}),
        ("targets", {"loss": "distance", "regularizer": "l21", "fit_intercept": False}),
        ("targets", {"loss": "quantile", "regularizer": "l2", "max_passes": 9}),
        ("targets", {"loss": "absolute", "regularizer": "l1inf", "fit_intercept": False}),
        ("line", {"loss": "absolute", "regularizer": "l21", "max_passes": 9}),
    ),
    "MatrixCompletion": (
        ("entries", {"max_passes": 9}),
        ("entries", {"loss": "squared", "alpha": 0.01, "tol": 1e-5}),
        ("entries", {"loss": "huber", "huber": 0.3, "max_passes": 9}),
        ("entries", {"loss": "quantile", "quantile": 0.3, "max_passes": 9}),
        ("ratings", {"loss": "hinge", "max_passes": 9}),
        ("ratings", {"loss": "hinge", "thresholds": [0.0, 1.0], "alpha": 0.02}),
    ),
}
for estimator, lines in ESTIMATORS.items():
    for problem, choices in lines:
        add(name_of(estimator, problem, -1, choices), problem, choices, door=estimator)

# 4. Where rounding grows, as changes of the data and of C by one rounding have shown.

GROWS = "a rounding of the data or of C grows to a hundredth of that"
TURNS = "a visit, an inner problem's end or a choice of planes turns on one rounding"
#: How far weights and objectives may be off, and of which cases.
FARTHER = {
    1e-11: (
        "39 epsilon-insensitive elastic-net",
        "39 logistic elastic-net",
        "39 smooth-crammer-singer elastic-net",
        "39 softmax-of-hinge elastic-net",
        "40 logistic elastic-net",
        "weston-watkins: three, accelerate True, gap_tol 1e-07, C 10.0",
        "free intercepts: line and 1, solver 39, loss squared-epsilon-insensitive",
        "cutting planes: two sparse and 1, solver 39, loss logistic, line_search ocas",
        "pegasos: two large, gap_tol 0.05, averaging True, max_passes 200",
        "rows and weights: line scaled and 1, solver 40, loss huber, C 0.01",
        "rows and weights: line scaled and 1, solver 42, loss huber, C 0.01",
    ),
    1e-9: (
        "37 epsilon-insensitive group-lasso",
        "37 epsilon-insensitive sparse-group-lasso",
        "37 huber linf",
        "37 huber group-lasso",
        "37 huber sparse-group-lasso",
        "37 quantile sparse-group-lasso",
        "38 absolute linf",
        "38 epsilon-insensitive l2-norm",
        "38 epsilon-insensitive linf",
        "38 huber linf",
        "38 quantile linf",
        "38 smooth-hinge sparse-group-lasso",
        "39 absolute elastic-net",
        "what sdca chooses: line, loss squared, regularizer l1, l1 0.7",
        "what sdca chooses: line scaled and 1, loss squared, regularizer l1, gap_tol 1e-06",
        "limits of weights: two and 1, solver 42, unpenalized [0, 3]",
        "limits of weights: two, solver 37, loss hinge, unpenalized [0], gap_tol 1e-05",
        "cutting planes: two scaled, solver 39, C 0.01",
        "rows and weights: line large, solver 39, loss squared, threads 2",
        "rows and weights: two sparse and 1, solver newton, loss logistic",
        "rows and weights: two sparse and 1, solver batch, loss logistic",
        "to a tolerance: two long and 1, solver batch, loss logistic, gap_tol 1e-10",
        "to a tolerance: line scaled and 1, solver newton, loss squared, gap_tol 1e-08, C 1.0",
        "path, l1",
        "KernelClassifier: two, kernel rbf, kernel_params {'gamma': 0.1}, C 2.0, tol 1e-05",
        "MultiTaskRegressor: targets, loss absolute, regularizer l1inf, fit_intercept False",
    ),
    1e-5: (
        "what sdca chooses: line large, loss squared, regularizer l1, gap_tol 1e-08",
        "rows and weights: line scaled and 1, solver 39, loss huber, C 0.01",
        "rows and weights: two weighted and 1, solver newton, loss logistic, "
        "class_weights {1: 2.0, -1: 0.7}",
        "rows and weights: two weighted and 1, solver batch, loss logistic, "
        "class_weights {1: 2.0, -1: 0.7}",
        "sizes: line wide, solver sdca, loss squared, regularizer l1, l1 0.2",
        "start of 37 free intercept",
        "NonSmoothClassifier: two, regularizer group-lasso, groups [[0, 2], [1, 3, 4], "
        "[5]], max_passes 9",
        "KernelClassifier: two, solver dual, regularizer l2-norm, n_components 30, max_passes 9",
    ),
}
#: Cases that are other ones after one rounding: they agree by their gaps.
TURNING = (
    "39 quantile l2",
    "39 quantile elastic-net",
    "accelerated ascent: two, inner adaptive",
    "accelerated ascent: two, inner 3",
    "accelerated ascent: two, solver sdca, inner theory, loss squared-hinge",
    "accelerated ascent: two, solver sdca, inner 5",
    "accelerated ascent: two, gap_tol 1e-06, C 20.0",
    "accelerated ascent: two weighted and 1, solver sdca, gap_tol 1e-07, C 5.0",
    "accelerated ascent: line and 1, solver sdca, gap_tol 1e-07, loss absolute, C 5.0",
    "what sdca chooses: line and 1, loss squared, regularizer l1, l1 0.7, free_bias True",
    "start of 32 hinge",
    "start of 33 hinge",
    "start of sdca hinge",
    "start of 32 huber",
    "start of 33 huber",
    "start of sdca huber",
    "start of 32 one against the rest",
    "start of 32 free intercept",
    "SDCAClassifier: two weighted, loss smooth-hinge, class_weight {1: 2.0}, smoothing 0.5",
    "KernelClassifier: two, kernel ['rbf', 'linear'], max_passes 9",
)
for within, names in FARTHER.items():
    for name in names:
        CASES[name] = replace(CASES[name], within=within, why=GROWS)
for name in TURNING:
    CASES[name] = replace(CASES[name], within=math.inf, why=TURNS)
