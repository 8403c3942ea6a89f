"""Training over the processes that `mpirun` starts: the rounds of `rrmlinear.dask`, with a part in
each process. All of them call `fit` (docs/scale.md). Needs the extra "mpi".
"""

from __future__ import annotations

try:
    import mpi4py as _mpi4py
except ImportError:
    raise ImportError("rrmlinear.mpi needs mpi4py: pip install 'rrmlinear[mpi]'") from None

from rrmlinear.mpi.training import fit

__all__ = ["fit"]
del _mpi4py
