"""Every solver type with each of its losses and regularizers, for a few passes.

Names of types, losses and regularizers are written out, as the recording is of them.
"""

from case import PASSES, add

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
    "auto": FIRST,
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
