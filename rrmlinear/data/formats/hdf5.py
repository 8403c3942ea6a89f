"""Cells in HDF5: .h5ad of AnnData 0.5 to 0.12, and .h5 of 10x Genomics, read by h5py."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rrmlinear.data.formats.asked import Asked
from rrmlinear.data.formats.batches import MatrixExamples
from rrmlinear.data.formats.beside import different, read_vector

OBS = "obs:"
#: Names of the index of obs and var where no attribute tells.
INDEX = ("_index", "index")


def open_cells(path: Any, asked: Asked) -> MatrixExamples:
    """The reader of an HDF5 file. ValueError for one that holds no cells as known here."""
    name = os.fsdecode(path)
    with _opened(name) as file:
        if "X" in file and "obs" in file:
            return AnnotatedCells(name, asked)
        groups = [group for group in file if hasattr(file[group], "keys")]
        found = [group for group in groups if {"data", "indices", "indptr"} <= set(file[group])]
        if len(found) == 1:
            return TenxCells(name, asked, found[0])
        if found:
            raise ValueError(f"{name} has {len(found)} genomes, {', '.join(found)}; one is allowed")
        shown = ", ".join(sorted(file)) or "nothing"
    raise ValueError(
        f"{name} holds {shown}; X, obs and var of AnnData, or the matrix of 10x Genomics is needed"
    )


def _opened(name: str) -> Any:
    try:
        import h5py
    except ImportError:
        raise ValueError(
            f"{name} is an HDF5 file, which needs the package h5py: pip install 'rrmlinear[cells]'"
        ) from None
    try:
        return h5py.File(name, "r")
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error}") from None


def _text(values: Any) -> list[str]:
    return [each.decode() if isinstance(each, bytes) else str(each) for each in values]


def _attribute(item: Any, name: str) -> str:
    value = item.attrs.get(name, "")
    return value.decode() if isinstance(value, bytes) else str(value)


class Cells(MatrixExamples):
    """Cells × genes; the file tells which is which."""

    is_upright = True

    def __init__(self, name: str, asked: Asked):
        super().__init__(name, asked)
        if asked.transpose:
            raise ValueError(f"--transpose has no effect: {name} says what its cells are")

    def matrix(self) -> Any:
        try:
            with _opened(self.name) as file:
                return self._matrix(file)
        except (KeyError, OSError) as error:
            raise ValueError(f"{self.name} is damaged: {error}") from None

    def _matrix(self, file: Any) -> Any:
        raise NotImplementedError

    def _compressed(self, group: Any, shape: tuple[int, int], by_row: bool) -> Any:
        """Rows × columns of the arrays of a CSR or CSC matrix."""
        from scipy.sparse import csc_array, csr_array

        parts = tuple(group[part][:] for part in ("data", "indices", "indptr"))
        try:
            made = (csr_array if by_row else csc_array)(parts, shape=shape)
        except ValueError as error:
            raise ValueError(f"{self.name} holds no matrix of {shape}: {error}") from None
        return made if by_row else made.tocsr()


class TenxCells(Cells):
    """The matrix of cellranger, version 3 (/matrix) or 2 (a group with the genome's name): stored
    as CSC of genes × cells, which is CSR of cells × genes.
    """

    def __init__(self, name: str, asked: Asked, group: str):
        super().__init__(name, asked)
        self.group = group

    def _matrix(self, file: Any) -> Any:
        group = file[self.group]
        genes, cells = map(int, group["shape"][:])
        if "features" in group:
            names, ids = group["features"]["name"][:], group["features"]["id"][:]
        else:
            names, ids = group["gene_names"][:], group["genes"][:]
        self.feature_names = different(_text(names), _text(ids))
        return self._compressed(group, (cells, genes), by_row=True)


class AnnotatedCells(Cells):
    """X of AnnData, dense, CSR or CSC; ``obs:NAME`` are its labels, weights or query ids."""

    labels_from = "name a column of obs (--labels obs:NAME), or a file that has them"

    def _matrix(self, file: Any) -> Any:
        X = file["X"]
        self.feature_names = tuple(self._index(file["var"]))
        if not hasattr(X, "keys"):
            return np.atleast_2d(X[:])
        form = _attribute(X, "encoding-type") or _attribute(X, "h5sparse_format")
        name = "shape" if "shape" in X.attrs else "h5sparse_shape"
        if name not in X.attrs or not form.startswith(("csr", "csc")):
            raise ValueError(f"{self.name} has an X of {form or 'an unknown form'}; "
                             "allowed are dense, CSR and CSC")  # fmt: skip
        shape = tuple(map(int, X.attrs[name]))
        return self._compressed(X, (shape[0], shape[1]), form.startswith("csr"))

    def _index(self, frame: Any) -> list[str]:
        """The names of rows of obs or var, in a group or in a compound array."""
        if hasattr(frame, "keys"):
            return _text(frame[_attribute(frame, "_index") or "_index"][:])
        rows = frame[:]
        name = next((each for each in INDEX if each in rows.dtype.names), rows.dtype.names[0])
        return _text(rows[name])

    def own(self, field: str, name: str | None) -> Any:
        if name is None:
            return None
        if not name.startswith(OBS):
            if os.path.exists(name.rpartition(":")[0] or name) or os.path.exists(name):
                return read_vector(name)
            raise ValueError(
                f"{self.name}: {name!r} is neither a file nor a column of obs; those are named "
                f"obs:NAME, and there are {self._columns()}"
            )
        with _opened(self.name) as file:
            return self._of_obs(file, name.removeprefix(OBS), name)

    def _columns(self) -> str:
        with _opened(self.name) as file:
            frame = file["obs"]
            names = list(frame) if hasattr(frame, "keys") else list(frame.dtype.names)
        hidden = {"_index", "index", "__categories"}
        return ", ".join(f"obs:{each}" for each in names if each not in hidden) or "none"

    def _of_obs(self, file: Any, name: str, where: str) -> Any:
        frame = file["obs"]
        in_group = hasattr(frame, "keys")
        if name not in (frame if in_group else frame.dtype.names):
            raise ValueError(f"{self.name} has no {where}; it has {self._columns()}")
        if not in_group:  # a compound array, 0.5 and 0.6
            categories = file.get(f"uns/{name}_categories")
            return self._named(frame[name], categories, where)
        column = frame[name]
        if hasattr(column, "keys"):
            if "codes" in column:
                return self._named(column["codes"][:], column["categories"], where)
            values = column["values"][:]
            self._refuse_missing(column["mask"][:], where)
            return values if values.dtype.kind in "biuf" else np.array(_text(values))
        categories = column.attrs.get("categories")  # 0.7: a reference to __categories/NAME
        return self._named(column[:], None if categories is None else file[categories], where)

    def _named(self, codes: Any, categories: Any, where: str) -> Any:
        """Values of codes; numbers and text without categories."""
        if categories is not None:
            self._refuse_missing(codes < 0, where)
            values = categories[:]
            values = np.array(_text(values)) if values.dtype.kind in "OSU" else values
            return values[codes]
        if codes.dtype.kind in "OSU":
            return np.array(_text(codes))
        if codes.dtype.kind == "f":
            self._refuse_missing(np.isnan(codes), where)
        return codes

    def _refuse_missing(self, missing: Any, where: str) -> None:
        if missing.any():
            raise ValueError(
                f"{where} of {self.name} has no value for {int(missing.sum())} cells, the first is "
                f"cell {int(missing.argmax())}; leave them out"
            )
