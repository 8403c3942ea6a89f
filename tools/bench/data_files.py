"""The files of data sets: by a path, or by a name in the folder of data."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from measuring import BenchmarkError

from rrmlinear.data.text.compression import MAGIC_LENGTH, Decompressed, kind_of

TOP = Path(__file__).resolve().parents[2]


def data_file(name: str) -> Path:
    """A file by its path, or a set, plain or compressed, of the folder that RRMLINEAR_DATA names,
    or of ../shared/data.
    """
    folder = Path(os.environ.get("RRMLINEAR_DATA", TOP.parent / "shared" / "data"))
    for path in (Path(name), *(folder / f"{name}{end}" for end in ("", ".xz", ".bz2"))):
        if path.is_file():
            return path
    raise BenchmarkError(f"{name} is not in {folder}; set RRMLINEAR_DATA to where it is")


def plain_file(path: Path, folder: Path) -> Path:
    """The file itself, or a plain copy in ``folder`` where it is compressed."""
    with path.open("rb") as file:
        kind = kind_of(file.read(MAGIC_LENGTH))
        if kind is None:
            return path
        file.seek(0)
        copy = folder / path.stem
        try:
            with copy.open("wb") as target:
                shutil.copyfileobj(Decompressed(str(path), kind, file), target)
        except ValueError as error:
            raise BenchmarkError(str(error)) from None
    return copy
