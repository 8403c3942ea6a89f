"""Training over the workers of a Dask cluster: parts of the rows stay on workers with their duals,
and meet in the rounds of `solvers.rounds`. `fit` takes dask collections, containers by their paths,
and futures; docs/scale.md tells what a round costs. Needs the extra "dask".
"""

from __future__ import annotations

try:
    import distributed as _distributed
except ImportError:
    raise ImportError(
        "rrmlinear.dask needs dask.distributed: pip install 'rrmlinear[dask]'"
    ) from None

from rrmlinear.dask.estimators import LinearClassifier, LinearRegressor
from rrmlinear.dask.training import fit

__all__ = ["LinearClassifier", "LinearRegressor", "fit"]
del _distributed
