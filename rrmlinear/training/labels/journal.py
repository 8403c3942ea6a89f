"""A journal of labels that have ended, so that a run that was killed goes on where it stood.

The first line is a JSON object of what the run is of. Each label that ends is a record behind it:
the length and the XXH64 of its bytes, then its numbers and arrays. A record that is cut off is
dropped.
"""

from __future__ import annotations

import json
import os
import struct
from os import PathLike
from typing import Any

import numpy as np
from xxhash import xxh64_intdigest

from rrmlinear.solvers.loop.label_ends import Column, LabelEnd
from rrmlinear.training.model_files.header import ModelFileError

_FRAME = struct.Struct("<qQ")
#: The label, its weights and duals (−1: none), bytes of a value; passes; whether it ended; numbers.
_NUMBERS = struct.Struct("<qqqq q? dddd")
LONGEST_LINE = 1 << 16


class Journal:
    """The labels that have ended, in a file that grows. Raises ModelFileError for one of another
    run or of another kind, and OSError as `open` does.
    """

    def __init__(self, path: str | PathLike[str], facts: dict[str, Any]) -> None:
        self.path, self.found = os.fsdecode(path), dict[int, LabelEnd]()
        line = json.dumps(facts, sort_keys=True).encode() + b"\n"
        self.file = open(path, "a+b")  # noqa: SIM115  (closed by `close`)
        self.file.seek(0)
        known = self.file.readline(LONGEST_LINE)
        if not known:
            self.file.write(line)
            self.file.flush()
        elif known != line:
            self.file.close()
            raise ModelFileError(
                f"{self.path} is the journal of another run{_difference(known, facts)}; remove "
                "it, or name another"
            )
        else:
            self._read()

    def _read(self) -> None:
        at = self.file.tell()
        while (end := self._record()) is not None:
            at = self.file.tell()
            self.found[end[0]] = end[1]
        self.file.truncate(at)
        self.file.seek(at)

    def _record(self) -> tuple[int, LabelEnd] | None:
        frame = self.file.read(_FRAME.size)
        if len(frame) < _FRAME.size:
            return None
        length, checksum = _FRAME.unpack(frame)
        if not 0 <= length <= os.fstat(self.file.fileno()).st_size:
            return None
        payload = self.file.read(length)
        if len(payload) < length or xxh64_intdigest(payload) != checksum:
            return None
        return _unpacked(payload)

    def add(self, label: int, end: LabelEnd) -> None:
        """Keep the end of a label, by its place."""
        payload = _packed(label, end)
        self.file.write(_FRAME.pack(len(payload), xxh64_intdigest(payload)) + payload)
        self.file.flush()

    def close(self) -> None:
        self.file.close()

    def remove(self) -> None:
        """Close and remove the file: the model is saved."""
        self.close()
        os.remove(self.path)


def _difference(line: bytes, facts: dict[str, Any]) -> str:
    try:
        known = json.loads(line)
        names = [name for name in facts if known.get(name) != facts[name]]
    except (ValueError, AttributeError):
        return ""
    return f", of other {', '.join(names)}" if names else ""


def _packed(label: int, end: LabelEnd) -> bytes:
    weights, duals = end.weights, end.duals
    count = -1 if duals is None else len(duals.places)
    head = _NUMBERS.pack(
        label,
        len(weights.places),
        count,
        weights.values.dtype.itemsize,
        end.passes,
        end.has_ended,
        end.bias,
        end.primal,
        end.dual,
        end.proven,
    )
    arrays = [weights.places, weights.values]
    if duals is not None:
        arrays += [duals.places, duals.values.astype(np.float64)]
    return head + b"".join(array.tobytes() for array in arrays)


def _unpacked(payload: bytes) -> tuple[int, LabelEnd]:
    numbers = _NUMBERS.unpack_from(payload)
    label, n_weights, n_duals, size, passes, has_ended, bias, primal, dual, proven = numbers
    at = _NUMBERS.size

    def taken(kind: str, count: int) -> Any:
        nonlocal at
        array = np.frombuffer(payload, kind, count, at)
        at += array.nbytes
        return array

    weights = Column(taken("<i4", n_weights), taken(f"<f{size}", n_weights))
    duals = None
    if n_duals >= 0:
        duals = Column(taken("<i4", n_duals), taken("<f8", n_duals))
    return label, LabelEnd(weights, bias, primal, dual, proven, passes, has_ended, duals)
