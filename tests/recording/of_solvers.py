"""The choices of dual solvers and of gradient steps: problem, bias, choices.

Recorded for a few passes, or to a tolerance where gap_tol is given.
"""

from case import ALL_OF_GRADIENTS, WW, cheap, each
from of_types import GROUPS

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
    ("five sparse", -1, {"tolerance": 0.01, "gap_tol": None}),
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
    ("two", -1, {"gap_tol": 1e-6, "C": 20.0}),
    ("two large", -1, {"solver": "auto", "gap_tol": 1e-6, "C": 5.0, "loss": "logistic"}),
    ("two weighted", 1, {"solver": "auto", "gap_tol": 1e-7, "C": 5.0}),
    ("line", 1, {"solver": "auto", "gap_tol": 1e-7, "loss": "absolute", "C": 5.0}),
    solver=33,
    C=4.0,
    max_passes=12,
)
each(
    "what auto chooses",
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
    solver="auto",
    C=0.5,
)
each(
    "free intercepts",
    *(
        (problem, 1, {"solver": solver, "loss": loss})
        for solver in (32, "auto", *ALL_OF_GRADIENTS)
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
        for solver in (34, 35, 36, 37, 38, 39, 40, "newton", "auto")
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
        for solver in (35, 36, 37, 38, 42, "auto")
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
