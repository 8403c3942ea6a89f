"""More choices, data, sizes and starts; then type 30 without acceleration."""

from dataclasses import replace

from case import ALL_OF_GRADIENTS, BALL, CASES, PASSES, WW, add, cheap, each
from of_types import GROUPS, OF_COLUMNS

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
    ("line wide", -1, {"solver": "auto", "loss": "squared", "regularizer": "l1", "l1": 0.2}),
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
        for solver in (32, 33, 34, 35, 37, 39, 41, 42, "newton", "auto")
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
    ("two long", 1, {"solver": "auto", "loss": "logistic", "gap_tol": 1e-10}),
    ("three", 1, {"solver": "auto", "loss": "softmax", "gap_tol": 1e-7}),
    ("three", 1, {"solver": 35, "loss": "softmax", "regularizer": "trace-norm", "gap_tol": 1e-5}),
    ("three", 1, {"solver": 37, "loss": WW, "regularizer": "l1inf", "gap_tol": 1e-5}),
    ("iris", 1, {"solver": "auto", "loss": "softmax", "gap_tol": 1e-6, "C": 1.0}),
    ("iris", 1, {"solver": 32, "loss": "crammer-singer", "gap_tol": 1e-5}),
    ("line scaled", 1, {"solver": "newton", "loss": "squared", "gap_tol": 1e-8, "C": 1.0}),
    C=0.3,
)

#: Starts: the problem, the loss, and the solver types that begin from duals of type 32.
for problem, loss in (("two", "hinge"), ("line sparse", "huber"), ("three", "softmax")):
    for solver in (32, 33, 34, 35, 36, 37, 38, "auto"):
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
