"""Training over the workers of a Dask cluster: parts of the rows stay on workers with their duals,
and meet in the rounds of `solvers.rounds`. `fit` takes dask collections, containers by their paths,
and futures; docs/scale.md says what a round costs. Needs the extra "dask", and the estimators the
extra "sklearn".
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

try:
    import distributed as _distributed
except ImportError:
    raise ImportError(
        "rrmlinear.dask needs dask.distributed: pip install 'rrmlinear[dask]'"
    ) from None

from rrmlinear.dask.many_labels import fit_labels
from rrmlinear.dask.training import fit

__all__ = ["LinearClassifier", "LinearRegressor", "MultilabelClassifier", "fit", "fit_labels"]
del _distributed


def __getattr__(name: str) -> Any:
    if name in __all__:  # of a layer above, with scikit-learn
        return getattr(import_module("rrmlinear.estimators.over_workers.linear"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
