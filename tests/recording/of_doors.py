"""The command line's cross validation, the path, and the estimators."""

from case import add, name_of
from of_types import GROUPS

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
        {
            "loss": "squared-hinge",
            "Cs": [0.01, 0.1, 1.0],
            "regularizer": "elastic-net",
            "l1": 0.1,
        },
    ),
    (
        "lasso",
        "line",
        {
            "loss": "squared",
            "Cs": [0.1, 1.0],
            "regularizer": "elastic-net",
            "l1_ratio": 0.5,
            "fit_intercept": "regularized",
            "max_iter": 50,
        },
    ),
    (
        "softmax",
        "three",
        {"loss": "softmax", "Cs": [0.01, 0.1], "solver": "agm", "fit_intercept": False},
    ),
    (
        "l1",
        "line",
        {"loss": "absolute", "Cs": [0.1, 0.3], "solver": "pdprox-dual", "regularizer": "l1"},
    ),
):
    add(f"path, {name}", problem, choices, door="path")

#: A column whose weight is regularized.
WEIGHT = {"fit_intercept": "regularized"}
PDPROX = {"solver": "pdprox-dual"}
ESTIMATORS = {
    "WestonWatkinsSVC": (
        ("three", {"max_iter": 8, **WEIGHT}),
        (
            "three weighted",
            {"solver": "walrus", "class_weight": "balanced", "max_iter": 8, **WEIGHT},
        ),
        ("two", {"fit_intercept": False, "solver": "shark", "tol": 1e-5}),
    ),
    "LinearClassifier": (
        ("two", {"loss": "logistic", "max_iter": 8, "tol": 1e-12, **WEIGHT}),
        ("three", {"loss": "squared-hinge", "max_iter": 8}),
        (
            "two sparse",
            {
                "loss": "hinge",
                "alpha": 0.01,
                "regularizer": "elastic-net",
                "l1": 0.2,
                "solver": "prox-sdca",
                **WEIGHT,
            },
        ),
        ("three", {"loss": "softmax", "solver": "accelerated", "random_state": 4, **WEIGHT}),
        (
            "two weighted",
            {"loss": "smooth-hinge", "class_weight": {1: 2.0}, "smoothing": 0.5, **WEIGHT},
        ),
        ("two", {"C": 0.1, "tol": 1e-6}),
        (
            "two",
            {
                "loss": "logistic",
                "solver": "fista",
                "regularizer": "elastic-ball",
                "l1": 0.5,
                "radius": 0.8,
            },
        ),
        ("three", {"loss": "softmax", "solver": "agm-1", "fit_intercept": False}),
        ("two sparse", {"loss": "hinge", "solver": "bmrm", "max_iter": 8}),
        ("two sparse", {"loss": "logistic", "solver": "pragam", "max_iter": 8}),
        ("two weighted", {"loss": "hinge", "solver": "ls-bmrm", "max_iter": 8}),
        ("two", {"regularizer": "l1", "C": 0.3, "max_iter": 9, **PDPROX}),
        ("two", {"budget": 40.0, "C": 0.1, "tol": 1e-3, **PDPROX}),
        ("three", {"loss": "crammer-singer", "regularizer": "l21", **WEIGHT, **PDPROX}),
        ("two", {"regularizer": "group-lasso", "groups": GROUPS, "max_iter": 9, **PDPROX}),
        (
            "two",
            {
                "lower": 0.0,
                "solver_options": {"storage": "double-dual"},
                "max_iter": 9,
                **PDPROX,
            },
        ),
    ),
    "LinearRegressor": (
        ("line", {"alpha": 0.01, "regularizer": "elastic-net", "l1_ratio": 0.7, **WEIGHT}),
        ("line weighted", {"loss": "huber", "huber": 0.4}),
        (
            "line sparse",
            {"loss": "epsilon-insensitive", "solver": "prox-sdca", "C": 0.5, **WEIGHT},
        ),
        ("line", {"loss": "absolute", "solver": "newton"}),
        ("line weighted", {"loss": "squared", "solver": "agm", **WEIGHT}),
        (
            "line",
            {
                "loss": "quantile",
                "quantile": 0.8,
                "regularizer": "l1",
                "max_iter": 9,
                **PDPROX,
            },
        ),
        (
            "line",
            {
                "loss": "absolute",
                "regularizer": "exclusive-lasso",
                "groups": GROUPS,
                "max_iter": 9,
                **PDPROX,
            },
        ),
        (
            "line sparse",
            {"loss": "huber", "regularizer": "elastic-net", "l1_ratio": 0.4, **PDPROX},
        ),
    ),
    "KernelClassifier": (
        ("two", {"kernel": "rbf", "kernel_params": {"gamma": 0.1}, "C": 2.0, "tol": 1e-5}),
        ("two", {"kernel": ["rbf", "linear"], "max_iter": 9}),
        (
            "three",
            {"loss": "softmax", "kernel": "poly", "n_components": 20, "fit_intercept": False},
        ),
        (
            "two",
            {"solver": "pdprox-dual", "regularizer": "l2-norm", "n_components": 30, "max_iter": 9},
        ),
    ),
    "KernelRegressor": (
        ("line", {"kernel": "rbf", "n_components": 25, "max_iter": 9}),
        ("line", {"loss": "absolute", "kernel": "linear", "budget": 6.0, "max_iter": 9}),
    ),
    "MultiTaskRegressor": (
        ("tasks", {"C": 0.5, "max_iter": 9}),
        ("tasks", {"loss": "squared", "regularizer": "l21", "solver": "fista", "max_iter": 9}),
        ("tasks", {"loss": "huber", "regularizer": "trace-norm", "solver": "pdprox-primal"}),
        ("tasks", {"regularizer": "l1", "fit_intercept": "regularized", "max_iter": 9}),
        ("targets", {"loss": "distance", "regularizer": "l21", "fit_intercept": False}),
        ("targets", {"loss": "quantile", "regularizer": "l2", "max_iter": 9}),
        ("targets", {"loss": "absolute", "regularizer": "l1inf", "fit_intercept": False}),
        ("line", {"loss": "absolute", "regularizer": "l21", "max_iter": 9}),
    ),
    "MatrixCompletion": (
        ("entries", {"max_iter": 9}),
        ("entries", {"loss": "squared", "alpha": 0.01, "tol": 1e-5}),
        ("entries", {"loss": "huber", "huber": 0.3, "max_iter": 9}),
        ("entries", {"loss": "quantile", "quantile": 0.3, "max_iter": 9}),
        ("ratings", {"loss": "hinge", "max_iter": 9}),
        ("ratings", {"loss": "hinge", "thresholds": [0.0, 1.0], "alpha": 0.02}),
    ),
}
for estimator, lines in ESTIMATORS.items():
    for problem, choices in lines:
        add(name_of(estimator, problem, -1, choices), problem, choices, door=estimator)
