"""Files of label models: a header of one line of JSON, and the arrays behind it, little-endian.

The first line names the format. The second is a JSON object: facts of the model, and of each array
its type, shape, place and XXH64 checksum. Arrays begin at multiples of 64 bytes. Labels are a JSON
list in bytes of their own. docs/labels.md has the table.
"""

from __future__ import annotations

import json
import os
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh64_hexdigest

from rrmlinear.catalog.losses import loss_row
from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.labels.label_result import LabelResult
from rrmlinear.training.model_files.header import ModelFileError

SIGNATURE = b"rrmlinear labels 1\n"


def begins_with_labels(path: str | PathLike[str]) -> bool:
    """Whether a file begins as one of a `LabelModel`. Raises OSError as `open` does."""
    with open(path, "rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


ALIGNMENT = 64
LONGEST_HEADER = 1 << 20
#: The arrays by their names with the types allowed. A tree has `parents`; its columns are edges,
#: and those that are no parents have the names. Thresholds may be absent.
ARRAYS = {
    "begins": ("<i8",),
    "places": ("<i4",),
    "values": ("<f4", "<f8"),
    "intercepts": ("<f8",),
    "counts": ("<i8",),
    "names": ("|u1",),
    "primal": ("<f8",),
    "dual": ("<f8",),
    "proven": ("<f8",),
    "passes": ("<i8",),
    "ended": ("|b1",),
    "thresholds": ("<f8",),
    "parents": ("<i4",),
    "features": ("|u1",),
}
PROVEN = ("primal", "dual", "proven", "passes", "ended")
OPTIONAL = (*PROVEN, "thresholds", "parents", "features")
FACTS = ("solver", "loss", "bias", "features", "labels")
#: The arrays of a result in the order of its fields.
RESULT = ("primal", "dual", "proven", "ended", "passes")
#: Facts of a model with its certificate.
PROOF = ("status", "tolerance", "seconds", "cpu_seconds")


def save_labels(model: Any, path: str | PathLike[str], tree: Any = None) -> None:
    """Write a model, whole or not at all; or the tree that it has the edges of.

    Raises OSError as `open` does, and ValueError for labels that are no numbers, text or truth
    values, and for weights that are not finite.
    """
    weights = model.weights
    names = (model if tree is None else tree).names.tolist()
    if not all(isinstance(name, str | int | float) for name in names):
        kind = next(type(n).__name__ for n in names if not isinstance(n, str | int | float))
        raise ValueError(f"labels that are {kind} cannot be saved: give text or numbers")
    arrays = {
        "begins": np.asarray(weights.indptr, "<i8"),
        "places": np.asarray(weights.indices, "<i4"),
        "values": np.asarray(weights.data, weights.data.dtype.newbyteorder("<")),
        "intercepts": np.asarray(model.intercepts, "<f8"),
        "counts": np.asarray(model.counts, "<i8"),
        "names": np.frombuffer(json.dumps(names).encode(), np.uint8),
    }
    result = model.result
    if result is not None:
        for name in PROVEN:
            arrays[name] = np.asarray(getattr(result, name), ARRAYS[name][0])
    if model.thresholds is not None:
        arrays["thresholds"] = np.asarray(model.thresholds, "<f8")
    if tree is not None:
        arrays["parents"] = np.asarray(tree.parents, "<i4")
    if model.feature_names is not None:
        arrays["features"] = np.frombuffer(json.dumps(list(model.feature_names)).encode(), np.uint8)
    for name in ("values", "intercepts", "thresholds"):
        if name in arrays and not np.isfinite(arrays[name]).all():
            raise ValueError(f"the model has {name} that are not finite and cannot be saved")
    facts = (model.solver_name, model.loss, model.bias, model.n_features, model.n_labels)
    described: dict[str, Any] = dict(zip(FACTS, facts, strict=True))
    if result is not None:
        proof = (result.status.name, result.tolerance, result.seconds, result.cpu_seconds)
        described |= dict(zip(PROOF, proof, strict=True))
    at, table = 0, {}
    for name, array in arrays.items():
        at = _aligned(at)
        table[name] = [array.dtype.str, len(array), at, xxh64_hexdigest(array.data)]
        at += array.nbytes
    header = json.dumps(described | {"arrays": table}).encode()
    first = _aligned(len(SIGNATURE) + len(header) + 1)
    with whole_file(path) as file:
        file.write(SIGNATURE + header + b" " * (first - len(SIGNATURE) - len(header) - 1) + b"\n")
        at = 0
        for array in arrays.values():
            file.write(bytes(_aligned(at) - at))
            file.write(array.data)
            at = _aligned(at) + array.nbytes


def load_labels(path: str | PathLike[str]) -> dict[str, Any]:
    """The fields of the `LabelModel` in a file; see `LabelModel.load`. Of a tree its edges,
    and its ``parents``.
    """
    from scipy.sparse import csc_array

    told = os.fsdecode(path)
    with open(path, "rb") as file:
        if file.read(len(SIGNATURE)) != SIGNATURE:
            raise ModelFileError(f"{told} is no model of labels: it does not begin with "
                                 f"{SIGNATURE.decode().strip()!r}")  # fmt: skip
        line = file.readline(LONGEST_HEADER)
        first = file.tell()
    facts, table = _header_of(line, told)
    whole = np.memmap(path, np.uint8, "r")
    arrays = {name: _array(whole, first, name, row, told) for name, row in table.items()}
    names = _names_of(arrays["names"], told)
    k, d = facts["labels"], facts["features"]
    begins, places, values = arrays["begins"], arrays["places"], arrays["values"]
    sizes = dict.fromkeys(("intercepts", "counts", *OPTIONAL[:-1]), k)
    sizes |= {"begins": k + 1, "places": len(values)}
    for name, size in sizes.items():
        if name in arrays and len(arrays[name]) != size:
            raise _fault(told, f"{name} has {len(arrays[name])} numbers where {size} belong")
    features = _names_of(arrays["features"], told).tolist() if "features" in arrays else None
    if features is not None and (len(features) != d or not all(type(f) is str for f in features)):
        raise _fault(told, f"there are {len(features)} names of {d} features, or some are no text")
    parents = arrays.get("parents")
    if parents is not None:
        _check_parents(parents, k, told)
    leaves = k if parents is None else k - len(np.unique(parents[parents >= 0]))
    if len(names) != leaves:
        raise _fault(told, f"there are {len(names)} names of {leaves} labels")
    rising = begins[0] == 0 and begins[-1] == len(places) and (np.diff(begins) >= 0).all()
    if not rising or (len(places) and not 0 <= places.min() <= places.max() < d):
        raise _fault(told, "the places of the weights are outside of the model")
    matrix = csc_array((d, k), dtype=values.dtype)
    matrix.data, matrix.indices = values, places
    matrix.indptr = begins.astype(np.int32) if begins[-1] < 2**31 else np.array(begins)
    return dict(
        names=names,
        weights=matrix,
        intercepts=arrays["intercepts"],
        bias=float(facts["bias"]),
        loss=facts["loss"],
        solver_name=facts["solver"],
        counts=arrays["counts"],
        thresholds=arrays.get("thresholds"),
        result=_result_of(facts, arrays),
        feature_names=features,
        **({} if parents is None else {"parents": parents}),
    )


def _check_parents(parents: NDArray[Any], k: int, path: str) -> None:
    """The children of a node stand side by side, behind it."""
    rises = (np.diff(parents) >= 0).all() and (parents < np.arange(len(parents))).all()
    if len(parents) != k or not rises or (len(parents) and parents[0] != -1):
        raise _fault(path, "its parents are those of no tree")


def _result_of(facts: dict[str, Any], arrays: dict[str, Any]) -> LabelResult | None:
    if "primal" not in arrays:
        return None
    status, *numbers = (facts[name] for name in PROOF)
    return LabelResult(Status[status], *(arrays[name] for name in RESULT), *numbers)


def _aligned(at: int) -> int:
    return -(-at // ALIGNMENT) * ALIGNMENT


def _fault(path: str, text: str) -> ModelFileError:
    return ModelFileError(f"{path} is damaged: {text}")


def _header_of(line: bytes, path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        header = json.loads(line)
        table = dict(header["arrays"])
        proven = [name in table for name in PROVEN]
        facts = {name: header[name] for name in (*FACTS, *(PROOF if any(proven) else ()))}
        numbers = [facts["bias"], *(facts[name] for name in PROOF[1:] if name in facts)]
        whole = all(isinstance(facts[name], int) and facts[name] >= 0 for name in FACTS[3:])
        loss_row(facts["loss"])
        if not whole or not all(isinstance(each, int | float) for each in numbers):
            raise ValueError("a number is wrong")
        if any(proven) != all(proven) or (
            any(proven) and facts["status"] not in Status.__members__
        ):
            raise ValueError("the certificate is not whole")
        if line[-1:] != b"\n":
            raise ValueError("its line has no end")
    except (ValueError, KeyError, TypeError) as error:
        raise _fault(path, f"its header cannot be read ({error})") from None
    missing = set(ARRAYS) - set(OPTIONAL) - set(table)
    if missing or not set(table) <= set(ARRAYS):
        raise _fault(path, f"its arrays are {', '.join(sorted(table)) or 'none'}")
    return facts, table


def _array(whole: Any, first: int, name: str, row: Any, path: str) -> NDArray[Any]:
    try:
        kind, count, at, checksum = row
        begin = first + at
        is_known = kind in ARRAYS[name] and count >= 0 and at >= 0
        end = begin + count * np.dtype(kind).itemsize if is_known else -1
    except (TypeError, ValueError):
        is_known, end = False, -1
    if not is_known or end > len(whole) or begin % ALIGNMENT:
        raise _fault(path, f"its array {name} has no place in the file")
    part = whole[begin:end]
    if xxh64_hexdigest(part) != checksum:
        raise _fault(path, f"the bytes of its array {name} do not have their checksum")
    array: NDArray[Any] = np.asarray(part).view(kind)
    return array


def _names_of(array: NDArray[Any], path: str) -> NDArray[Any]:
    try:
        listed = json.loads(bytes(array))
        names = np.array(listed) if listed else np.zeros(0, np.int64)
    except ValueError:
        raise _fault(path, "its labels cannot be read") from None
    if names.ndim != 1:
        raise _fault(path, "its labels are no list")
    return names
