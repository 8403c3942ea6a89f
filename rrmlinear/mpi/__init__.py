"""Training over the processes that `mpirun` starts: the rounds of `rrmlinear.dask`, with a part in
each process. All of them call `fit` (docs/scale.md). Needs the extra "mpi".
"""

from __future__ import annotations

try:
    from mpi4py import MPI as _MPI
except ModuleNotFoundError:
    raise ImportError("rrmlinear.mpi needs mpi4py: pip install 'rrmlinear[mpi]'") from None
except ImportError as error:
    raise ImportError(
        f"rrmlinear.mpi: mpi4py finds no library of the MPI that it was built for: {error}"
    ) from None

from rrmlinear.mpi.training import fit

__all__ = ["fit"]
del _MPI
