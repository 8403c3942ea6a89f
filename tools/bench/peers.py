"""Other packages' solvers as bench_sdca.py trains them: each maker turns an effort into weights.

``SOLVERS[name](X, y, task)`` converts the data, which is not timed, and returns a function from an
effort to the weights. It raises ImportError where the package is missing and ValueError where it
does not solve the problem. Every solver gets one thread, no intercept, and the objective of `Task`
in the solver's own scale.
"""

from __future__ import annotations

import ctypes

import numpy as np
from effort import passes, tolerance
from scipy.sparse import csc_matrix, csr_matrix, issparse

NEWTON_FEATURES = 2000  # a second-order solver that holds a Hessian of d² numbers is for fewer


def needs(task, *losses, l1=False, lasso=False):
    """Raise ValueError for another loss or regularizer."""
    if task.loss not in losses or bool(task.l1) != l1 or (task.l2 == 0) != lasso:
        raise ValueError("does not solve this problem")


def liblinear(kinds):
    """The C library without its reader; the data are converted to its nodes beforehand."""

    def make(X, y, task):
        needs(task, *kinds)
        from liblinear import liblinear as library

        problem = library.problem(y, csr_matrix(X))
        count = X.shape[1]
        c_library = ctypes.CDLL(None)

        def train(effort):
            c_library.srand(1)  # as in a process of its own: the order of visits comes from rand()
            words = ["-s", kinds[task.loss], "-c", repr(task.C), "-e", repr(tolerance(effort))]
            model = library.toPyModel(
                library.liblinear.train(problem, library.parameter([*words, "-q"]))
            )
            return np.ctypeslib.as_array(model.w, (count,)) * model.label[0]

        return train

    return make


def linear_svc(dual):
    def make(X, y, task):
        needs(task, "squared-hinge", *(["hinge"] if dual else []))
        from sklearn.svm import LinearSVC

        loss = task.loss.replace("-", "_")

        def train(effort):
            settings = {"tol": tolerance(effort), "max_iter": 100_000, "random_state": 0}
            svc = LinearSVC(loss=loss, C=task.C, dual=dual, fit_intercept=False, **settings)
            return svc.fit(X, y).coef_

        return train

    return make


def logistic_regression(solver):
    def make(X, y, task):
        needs(task, "logistic", l1=bool(task.l1) and solver == "saga")
        if solver == "newton-cholesky" and X.shape[1] > NEWTON_FEATURES:
            raise ValueError(f"a Hessian of {X.shape[1]}² numbers is too large")
        from sklearn.linear_model import LogisticRegression

        total = 1 + task.l1
        chosen = {"penalty": "elasticnet", "l1_ratio": task.l1 / total} if task.l1 else {}

        def train(effort):
            settings = {"tol": tolerance(effort) / 10, "max_iter": 100_000, "random_state": 0}
            if solver in ("sag", "saga"):
                settings |= {"tol": 1e-30, "max_iter": passes(effort)}
            model = LogisticRegression(
                C=task.C / total, solver=solver, fit_intercept=False, **chosen, **settings
            )
            return model.fit(X, y).coef_

        return train

    return make


def sklearn_lasso(X, y, task):
    needs(task, "squared", l1=True, lasso=True)
    from sklearn.linear_model import Lasso

    X, alpha = as_columns(X), task.l1 / (task.C * len(y))

    def train(effort):
        lasso = Lasso(alpha=alpha, fit_intercept=False, tol=tolerance(effort), max_iter=10**6)
        return lasso.fit(X, y).coef_

    return train


def lightning_sdca(X, y, task):
    needs(task, "hinge", "smooth-hinge", "squared-hinge", l1=bool(task.l1))
    from lightning.classification import SDCAClassifier

    alpha = (1 + task.l1) / (task.C * len(y))
    loss = task.loss.replace("-", "_")

    def train(effort):
        model = SDCAClassifier(
            alpha=alpha,
            l1_ratio=task.l1 / (1 + task.l1),
            loss=loss,
            gamma=task.smoothing,
            max_iter=passes(effort),
            tol=0,
            random_state=0,
        )
        return model.fit(X, y).coef_

    return train


def lightning_dual(X, y, task):
    needs(task, "hinge", "squared-hinge")
    from lightning.classification import LinearSVC

    loss = task.loss.replace("-", "_")

    def train(effort):
        settings = {"tol": tolerance(effort), "max_iter": 100_000, "random_state": 0}
        return LinearSVC(C=task.C, loss=loss, **settings).fit(X, y).coef_

    return train


def lightning_primal(X, y, task):
    needs(task, "squared-hinge", "logistic")
    from lightning.classification import CDClassifier

    loss = {"squared-hinge": "squared_hinge", "logistic": "log"}[task.loss]

    def train(effort):
        settings = {"tol": 0, "max_iter": passes(effort), "random_state": 0}
        model = CDClassifier(loss=loss, penalty="l2", C=task.C, alpha=1.0, **settings)
        return model.fit(X, y).coef_

    return train


def cyanure(solver):
    def make(X, y, task):
        needs(task, "squared-hinge", "logistic", "squared", l1=bool(task.l1), lasso=task.l2 == 0)
        from cyanure.estimators import Classifier, Regression

        # Its squared hinge has a factor ½.
        loss, share = {
            "squared-hinge": ("sqhinge", 0.5),
            "logistic": ("logistic", 1.0),
            "squared": ("square", 1.0),
        }[task.loss]
        scale = share / (task.C * len(y))
        penalty = {"penalty": "l2", "lambda_1": scale}
        if task.l2 == 0:
            penalty = {"penalty": "l1", "lambda_1": task.l1 * scale}
        else:
            penalty = {"penalty": "elasticnet", "lambda_1": task.l1 * scale, "lambda_2": scale}
        kind = Regression if task.loss == "squared" else lambda **k: Classifier(loss=loss, **k)

        def train(effort):
            model = kind(
                **penalty,
                solver=solver,
                fit_intercept=False,
                tol=1e-14,
                max_iter=passes(effort),
                duality_gap_interval=passes(effort),
                n_threads=1,
                verbose=False,
            )
            return model.fit(X, y).coef_

        return train

    return make


def snapml(X, y, task):
    needs(task, "hinge", "squared-hinge", "logistic")
    from snapml import LogisticRegression, SupportVectorMachine

    kind = LogisticRegression
    chosen = {"dual": True}
    if task.loss != "logistic":
        kind, chosen = SupportVectorMachine, {"loss": task.loss.replace("-", "_")}

    def train(effort):
        model = kind(
            regularizer=1 / task.C,
            max_iter=passes(effort),
            tol=0.0,
            fit_intercept=False,
            n_jobs=1,
            random_state=0,
            **chosen,
        )
        return model.fit(X, y).coef_

    return train


def skglm(X, y, task):
    lasso = task.l2 == 0
    needs(task, *(["logistic", "squared"] if task.l1 else ["hinge"]), l1=bool(task.l1), lasso=lasso)
    from skglm import GeneralizedLinearEstimator, Lasso, LinearSVC
    from skglm.datafits import Logistic
    from skglm.penalties import L1_plus_L2
    from skglm.solvers import ProxNewton

    total = 1 + task.l1
    X = as_columns(X) if task.loss != "hinge" else X
    alpha = total / (task.C * len(y))

    def train(effort):
        tol = tolerance(effort) / 100
        common = {"tol": tol, "fit_intercept": False}
        if task.loss == "hinge":
            model = LinearSVC(C=task.C, max_iter=1000, **common)
        elif lasso:
            model = Lasso(task.l1 / (task.C * len(y)), max_iter=1000, **common)
        else:
            penalty = L1_plus_L2(alpha, task.l1 / total)
            solver = ProxNewton(max_iter=1000, **common)
            model = GeneralizedLinearEstimator(Logistic(), penalty, solver)
        return model.fit(X, y).coef_

    return train


def celer(X, y, task):
    needs(task, "squared", l1=True, lasso=True)
    from celer import Lasso

    X, alpha = as_columns(X), task.l1 / (task.C * len(y))

    def train(effort):
        lasso = Lasso(alpha=alpha, fit_intercept=False, tol=tolerance(effort), max_iter=1000)
        return lasso.fit(X, y).coef_

    return train


def as_columns(X):
    return csc_matrix(X) if issparse(X) else np.asfortranarray(X)


SOLVERS = {
    "LIBLINEAR dual (-s 3, 1, 7)": liblinear({"hinge": "3", "squared-hinge": "1", "logistic": "7"}),
    "LIBLINEAR primal (-s 2, 0)": liblinear({"squared-hinge": "2", "logistic": "0"}),
    "scikit-learn LinearSVC dual": linear_svc(True),
    "scikit-learn LinearSVC primal": linear_svc(False),
    **{
        f"scikit-learn {solver}": logistic_regression(solver)
        for solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
    },
    "scikit-learn Lasso": sklearn_lasso,
    "lightning SDCA": lightning_sdca,
    "lightning LinearSVC": lightning_dual,
    "lightning CD": lightning_primal,
    **{f"cyanure {solver}": cyanure(solver) for solver in ("auto", "acc-svrg", "qning-svrg")},
    "snapml": snapml,
    "skglm": skglm,
    "celer": celer,
}
