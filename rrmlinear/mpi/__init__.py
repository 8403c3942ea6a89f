"""Training over the processes that `mpirun` starts: the rounds of `rrmlinear.dask`, with a part in
each process, or blocks of many labels. All of them call `fit` or `fit_labels` (docs/scale.md).
Needs the extra "mpi".
"""

from __future__ import annotations

try:
    from mpi4py import MPI as _MPI
except ModuleNotFoundError:
    raise ImportError("rrmlinear.mpi needs mpi4py: pip install 'rrmlinear[mpi]'") from None
except (ImportError, RuntimeError) as error:  # wheels for any MPI raise a RuntimeError
    from rrmlinear.core.machine import library_path

    sentence = (
        "rrmlinear.mpi: mpi4py finds no library of an MPI that it takes, such as that of Debian's "
        f"openmpi-bin: {str(error).splitlines()[0]}"
    )
    # Debian's MPICH has a name of its own, which wheels of mpi4py do not look for.
    _here = library_path("libmpich.so.12") if "libmpi.so.12" in str(error) else None
    if _here is not None:
        sentence += (
            "; MPICH is here under another name: "
            f"ln -s {_here} FOLDER/libmpi.so.12, with FOLDER in LD_LIBRARY_PATH"
        )
    raise ImportError(sentence) from None

from rrmlinear.mpi.many_labels import fit_labels
from rrmlinear.mpi.training import fit

__all__ = ["fit", "fit_labels"]
del _MPI
