"""rrmlinear: linear regularized risk minimization, every model with a certificate.

The public names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

try:
    import rrmlinear._cyutility  # noqa: F401  (every compiled module needs it)
except ModuleNotFoundError as error:
    if error.name != "rrmlinear._cyutility":
        raise
    raise ImportError(
        f"rrmlinear is not compiled in {__path__[0]}, its source folder, which Python finds first "
        "when it is started beside it. Build it there with `python3 tools/build/bootstrap.py demo` "
        "and use .venv/bin/python; or, if it is installed elsewhere, start `python -P`"
    ) from None

__version__ = "0.1.0"

_PUBLIC = {
    "Problem": "rrmlinear.data.problem",
    "read_libsvm": "rrmlinear.data.text.libsvm_format",
    "write_libsvm": "rrmlinear.data.text.libsvm_format",
    "Parameter": "rrmlinear.catalog.parameter",
    "Model": "rrmlinear.training.model",
    "fit": "rrmlinear.training.fit",
    "LinearClassifier": "rrmlinear.estimators.general",
    "LinearRegressor": "rrmlinear.estimators.general",
    "LinearSVC": "rrmlinear.estimators.svm",
    "LinearSVR": "rrmlinear.estimators.svm",
    "WestonWatkinsSVC": "rrmlinear.estimators.svm",
    "LogisticRegression": "rrmlinear.estimators.logistic",
    "Ridge": "rrmlinear.estimators.regressions",
    "Lasso": "rrmlinear.estimators.regressions",
    "ElasticNet": "rrmlinear.estimators.regressions",
    "QuantileRegressor": "rrmlinear.estimators.regressions",
    "HuberRegressor": "rrmlinear.estimators.regressions",
    "KernelClassifier": "rrmlinear.estimators.kernel",
    "KernelRegressor": "rrmlinear.estimators.kernel",
    "MatrixCompletion": "rrmlinear.estimators.completion",
    "MultiTaskRegressor": "rrmlinear.estimators.multitask",
    "path": "rrmlinear.estimators.path",
}
__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'rrmlinear' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
