"""Files of estimators: a zip of JSON and NumPy's arrays, which run no code when they are read.

``state.json`` has the format, its version, the class and its state; each array is a ``.npy`` beside
it. Objects of scikit-learn inside, such as learners of an ensemble, are kept by skops.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np

from rrmlinear.core.loading import imported
from rrmlinear.core.plain_state import CLASS, STATE, own_version, restored
from rrmlinear.data.text.whole_file import whole_file

FORMAT, FORMAT_VERSION = "rrmlinear estimator", 1
HEAD = "state.json"
#: The key of a JSON object that stands for a value of another type.
KIND = "#"
SPARSE = ("csr", "csc")
#: Numbers of an array that are told.
MOST_TOLD = 20


class SavedFileError(ValueError):
    """A file that holds no estimator of the class that reads it."""


class Writer:
    """Values as JSON, with what JSON has no place for in files beside."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def beside(self, kind: str, data: bytes, ending: str) -> dict[str, Any]:
        name = f"{len(self.files)}.{ending}"
        self.files[name] = data
        return {KIND: kind, "file": name}

    def of(self, value: Any, place: str) -> Any:
        """The value in JSON; ``place`` says in an error where it stands."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {KIND: "float", "is": repr(value)}
        if type(value) in (list, tuple):
            items = [self.of(each, f"{place}[{n}]") for n, each in enumerate(value)]
            return items if type(value) is list else {KIND: "tuple", "items": items}
        if type(value) is dict and all(isinstance(key, str) for key in value):
            return {KIND: "dict", "items": {k: self.of(v, k) for k, v in value.items()}}
        if isinstance(value, np.generic):
            return {**self.of(np.asarray(value), place), KIND: "scalar"}
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                items = [self.of(each, place) for each in value.ravel().tolist()]
                return {KIND: "objects", "shape": list(value.shape), "items": items}
            file = io.BytesIO()
            np.save(file, np.asarray(value), allow_pickle=False)
            return self.beside("array", file.getvalue(), "npy")
        if getattr(value, "format", None) in SPARSE:
            parts = [self.of(each, place) for each in (value.data, value.indices, value.indptr)]
            return {KIND: type(value).__name__, "shape": list(value.shape), "parts": parts}
        return self.by_skops(value, place)

    def by_skops(self, value: Any, place: str) -> Any:
        kept = type(value).__module__.partition(".")[0] in ("sklearn", "numpy", "scipy")
        if callable(value) or not kept:
            raise ValueError(
                f"{place} is {value!r}, which a file of plain values has no place for: set another "
                "one before save, or keep the estimator by joblib"
            )
        skops = imported("skops.io", f"saving {place}, a {type(value).__name__},", "skops")
        return self.beside("skops", skops.dumps(value), "skops")


def save_state(kept: Any, path: str | PathLike[str]) -> None:
    """Write an object with a plain state, whole or not at all; the same state gives the same bytes.

    Raises OSError as `open` does, ValueError for a function or an object of others inside, and
    ImportError where skops is needed.
    """
    writer = Writer()
    state = writer.of(kept.__getstate__(), type(kept).__name__)
    head = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": own_version(),
        "class": f"{type(kept).__module__}:{type(kept).__qualname__}",
        "state": state,
    }
    text = json.dumps(head, ensure_ascii=False, allow_nan=False)
    with whole_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, data in {HEAD: text.encode(), **writer.files}.items():
            archive.writestr(zipfile.ZipInfo(name), data)  # of 1980, so that bytes are the same


def load_state(cls: type, path: str | PathLike[str], trusted: Sequence[str]) -> Any:
    """The object of this class that `save_state` wrote; skops may make ``trusted`` types too.

    Raises OSError as `open` does, and SavedFileError for another file, another class, a version
    that is not known, and damage.
    """
    name = os.fspath(path)
    with _damage(name):
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            head = _head(archive, name)
            found = str(head["class"])
            if found != f"{cls.__module__}:{cls.__qualname__}":
                other = found.rpartition(":")[2]
                raise SavedFileError(f"{name} holds a {other}: {other}.load reads it")
            state = _value(head["state"], archive, list(trusted))
        return restored({CLASS: found, STATE: state})


@contextmanager
def _damage(name: str) -> Iterator[None]:
    """Errors of what is in a file as a SavedFileError."""
    try:
        yield
    except (SavedFileError, OSError, ImportError):
        raise
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, IndexError, EOFError) as error:
        raise SavedFileError(f"{name} is no file of an estimator, or damaged: {error}") from error


def _head(archive: zipfile.ZipFile, name: str) -> Any:
    head = json.loads(archive.read(HEAD))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise SavedFileError(f"{name} is no file of an estimator")
    if head.get("version") != FORMAT_VERSION:
        raise SavedFileError(
            f"{name} has version {head.get('version')!r} of its format, written by "
            f"rrmlinear {head.get('written_by')}; this one reads {FORMAT_VERSION}"
        )
    return head


def known_of(path: str) -> dict[str, str] | None:
    """What the file of an estimator tells of it, without its class; None for any other file."""
    if not os.path.isfile(path) or not zipfile.is_zipfile(path):
        return None
    with _damage(path), zipfile.ZipFile(path) as archive:
        if HEAD not in archive.namelist():
            return None
        head = _head(archive, path)
        told = {"estimator": head["class"].rpartition(":")[2], "rrmlinear": head["written_by"]}
        for name, value in head["state"]["items"].items():
            if name in ("loss", "C", "alpha") or (name[-1] == "_" and name[0] != "_"):
                simple = not isinstance(value, dict) or value[KIND] in ("array", "scalar", "float")
                found = np.asarray(_value(value, archive, []) if simple else None)
                if found.dtype != object:
                    few = found.size <= MOST_TOLD and found.ndim < 2
                    told[name] = str(found.tolist() if few else f"an array of shape {found.shape}")
    return told


def _value(found: Any, archive: zipfile.ZipFile, trusted: list[str]) -> Any:
    """The inverse of `Writer.of`."""
    if isinstance(found, list):
        return [_value(each, archive, trusted) for each in found]
    if not isinstance(found, dict):
        return found
    kind = found[KIND]
    if kind == "float":
        return float(found["is"])
    if kind == "dict":
        return {name: _value(each, archive, trusted) for name, each in found["items"].items()}
    if kind in ("array", "scalar"):
        array = np.load(io.BytesIO(archive.read(found["file"])), allow_pickle=False)
        return array[()] if kind == "scalar" else array
    if kind == "skops":
        skops = imported("skops.io", "this file", "skops")
        data = archive.read(found["file"])
        if unknown := sorted({*skops.get_untrusted_types(data=data)} - {*trusted}):
            raise SavedFileError(
                f"{archive.filename} has types inside that are not known to be harmless: if you "
                f"trust its source, load it with trusted={unknown!r}"
            )
        return skops.loads(data, trusted=trusted)
    if kind not in ("tuple", "objects"):
        parts = tuple(_value(part, archive, trusted) for part in found["parts"])
        return _sparse(kind, parts, tuple(found["shape"]))
    items = [_value(each, archive, trusted) for each in found["items"]]
    if kind == "tuple":
        return tuple(items)
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects.reshape(found["shape"])


def _sparse(kind: str, parts: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    from scipy import sparse

    if kind not in {f"{each}_{form}" for each in SPARSE for form in ("array", "matrix")}:
        raise ValueError(f"{kind!r} is no kind of value")
    made = getattr(sparse, kind)(parts, shape=shape)
    made.check_format()
    return made
