"""The tasks of estimators.py: which estimators on which sets, of files or made."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from data_files import data_file
from scipy.sparse import csr_array, random_array

import rrmlinear


@dataclass(frozen=True)
class Task:
    """An estimator of both libraries on a set; ``choices`` are those of both, ``theirs`` the
    solvers of scikit-learn that are tried.
    """

    data: str
    estimator: str
    choices: dict[str, Any] = field(default_factory=dict)
    theirs: tuple[dict[str, Any], ...] = ({},)

    @property
    def call(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.choices.items())
        return f"{self.estimator}({said})"

    @property
    def name(self) -> str:
        return f"{self.call}, {self.data}"

    @property
    def selects(self) -> bool:
        return self.estimator.endswith("CV")


PRIMAL, DUAL = {"dual": False}, {"dual": True}
LBFGS, CHOLESKY, SAGA = {"solver": "lbfgs"}, {"solver": "newton-cholesky"}, {"solver": "saga"}
HINGE = {"loss": "hinge"}
FILES = [
    Task("a9a", "LinearSVC", {}, (PRIMAL,)),
    Task("a9a", "LinearSVC", HINGE, (DUAL,)),
    Task("a9a", "LinearSVC", {"penalty": "l1"}, (PRIMAL,)),
    Task("a9a", "LogisticRegression", {}, (LBFGS,)),
    Task("a9a", "LogisticRegression", {"l1_ratio": 1.0}, (SAGA,)),
    Task("ijcnn1", "LinearSVC", HINGE, (DUAL,)),
    Task("ijcnn1", "LogisticRegression", {}, (CHOLESKY,)),
    Task("news20.unit", "LinearSVC", {}, (DUAL,)),
    Task("sector.scale", "LinearSVC", HINGE, (DUAL,)),
    Task("letter.scale", "LogisticRegression", {}, (LBFGS,)),
    Task("satimage.scale", "LogisticRegression", {"C": 100.0}, (LBFGS,)),
    Task("news20.unit", "Ridge", {"alpha": 1.0}),
]
SHAPES = ("1000x20", "100000x20", "20000x500", "1000x10000", "200x50000,sparse")
MADE = [
    ("LogisticRegression", {}, (LBFGS, CHOLESKY)),
    ("LinearSVC", {}, (PRIMAL, DUAL)),
    ("LinearSVC", HINGE, (DUAL,)),
    ("LinearSVR", {}, (DUAL,)),
    ("LinearSVR", {"loss": "squared_epsilon_insensitive"}, (PRIMAL, DUAL)),
    ("Ridge", {"alpha": 10.0}, ({},)),
    ("Lasso", {"alpha": 0.1}, ({},)),
    ("ElasticNet", {"alpha": 0.1, "l1_ratio": 0.5}, ({},)),
    ("HuberRegressor", {}, ({},)),
    ("QuantileRegressor", {"alpha": 0.1}, ({},)),
]
OTHERS = [
    *(
        Task(f"{shape},positive", "OneClassSVM", {"kernel": "linear", "nu": 0.1})
        for shape in SHAPES
        if shape != "100000x20"  # scikit-learn's takes minutes
    ),
    Task("20000x500,classes", "LogisticRegression", {}, (LBFGS, CHOLESKY)),
    Task("100000x20,classes", "LogisticRegression", {}, (LBFGS, CHOLESKY)),
    Task("1000x20,classes", "LogisticRegression", {}, (LBFGS, CHOLESKY)),
    Task("1000x10000,classes", "LogisticRegression", {}, (LBFGS,)),
    *(
        Task(f"{shape},{kind}", name, choices, theirs)
        for name, choices, theirs in MADE
        if name in ("LogisticRegression", "LinearSVC", "Ridge", "Lasso")
        for shape in ("20000x500", "1000x10000")
        for kind in ("F", "plain", "float32")
    ),
    *(
        Task(shape, name, {}, theirs)
        for name, theirs in (("LassoCV", ({},)), ("LogisticRegressionCV", (LBFGS, CHOLESKY)))
        for shape in SHAPES
    ),
]
#: Searches over alpha where n and d are alike, on few features, and on wide and sparse data.
PATHS = [
    *(
        Task(shape, "LassoCV", {}, ({},))
        for shape in (
            *("390x200", "500x400", "300x300", "100x400", "200x2000"),
            *("2000x300", "20000x50", "5000x500"),
        )
    ),
    *(
        Task(shape, "LassoCV", {"positive": True}, ({},))
        for shape in ("390x200", "500x400", "200x2000", "2000x300")
    ),
    *(
        Task(f"{shape},sparse", "LassoCV", {}, ({},))
        for shape in ("100x5", "1000x100", "2000x300", "500x2000")
    ),
    *(
        Task("500x2000,thin", name, choices, ({},))
        for name, choices in (
            ("LassoCV", {}),
            ("LassoCV", {"fit_intercept": False}),
            ("ElasticNetCV", {"l1_ratio": 0.5}),
        )
    ),
    Task("2000x300,thin", "LassoCV", {}, ({},)),
    Task("390x200", "ElasticNetCV", {"l1_ratio": 0.1}, ({},)),
]
TASKS = [*FILES, *(Task(shape, *row) for row in MADE for shape in SHAPES), *OTHERS, *PATHS]


@cache
def load(name: str) -> tuple[Any, Any, Any]:
    """X, labels and numbers: of a file of the folder, or made."""
    if "x" in name and name[0].isdigit():
        return made(*name.split(","))
    problem = rrmlinear.read_libsvm(data_file(name))
    X = problem.to_scipy().astype(np.float64)
    if X.nnz > 0.3 * X.shape[0] * X.shape[1]:
        return X.toarray(), problem.labels, problem.labels
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, problem.labels, problem.labels


def made(shape: str, *kinds: str) -> tuple[Any, Any, Any]:
    """Gaussian columns, correlated by a tenth as many factors, of which 100 count; labels and
    numbers with noise.
    """
    n, d = map(int, shape.split("x"))
    rng = np.random.default_rng(0)
    if "thin" in kinds:
        X = random_array((n, d), density=0.02, format="csr", rng=rng)
        X.data = rng.standard_normal(X.nnz)
    elif "sparse" in kinds:
        places = rng.zipf(1.3, (n, 200)) % d
        ends = np.arange(0, 200 * n + 1, 200, dtype=np.int32)
        X = csr_array((rng.random(n * 200), places.ravel().astype(np.int32), ends), (n, d))
        X.sum_duplicates()
    else:
        X = rng.standard_normal((n, d))
        if "plain" not in kinds:
            factors = max(2, d // 10)
            mixing = rng.standard_normal((factors, d)) / np.sqrt(factors)
            X = 0.7 * X + 0.7 * rng.standard_normal((n, factors)) @ mixing
    w = np.zeros(d)
    w[: min(d, 100)] = rng.standard_normal(min(d, 100))
    scores = X @ w
    y = scores + 0.5 * scores.std() * rng.standard_normal(n)
    labels = np.where(y > np.median(y), 1, -1)
    if "classes" in kinds:
        labels = np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))
    if "positive" in kinds:
        X = abs(X)
    if "F" in kinds:
        X = np.asfortranarray(X)
    return X.astype(np.float32) if "float32" in kinds else X, labels, y
