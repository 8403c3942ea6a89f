"""Write scikit-learn's bundled data sets as LIBSVM text: ``python datasets/make.py [NAME ...]``.

Each set becomes NAME.libsvm (to train on) and NAME.libsvm.t (to test on), two halves of a seeded
split that keeps the class proportions. The sets of many labels, eurlex-like and amazon-like, are
generated when they are named, and become pairs of .npz files with ``--npz``. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import many_labels
import numpy as np
from libsvm_text import DECIMALS, write_blocks
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent
SPLIT_SEED = 0

Half = tuple[NDArray[np.float64], NDArray[Any]]


@dataclass(frozen=True)
class Bundled:
    """How one of scikit-learn's sets is scaled, labelled and split."""

    loader: str
    scale: Callable[[Any], Any]
    label: Callable[[Any], Any] = np.asarray
    stratified: bool = True


def _sixteenths(X: Any) -> Any:
    """Gray levels 0…16 to [0, 1], exactly."""
    return X / 16


def _to_unit_box(X: Any) -> Any:
    """Each feature to [-1, 1] over the whole set, so that both halves lie within."""
    from sklearn.preprocessing import minmax_scale

    return minmax_scale(X, (-1, 1))


BUNDLED = {
    "digits": Bundled("load_digits", _sixteenths),
    "iris": Bundled("load_iris", _to_unit_box),
    "wine": Bundled("load_wine", _to_unit_box),
    "breast_cancer": Bundled("load_breast_cancer", _to_unit_box, lambda target: 2 * target - 1),
    "diabetes": Bundled("load_diabetes", _to_unit_box, stratified=False),
}


def load_halves(name: str) -> tuple[Half, Half]:
    """((X_train, y_train), (X_test, y_test)) of a set in `BUNDLED`, as its files hold them.

    X is n × d of float64 with at most six decimals. y holds scikit-learn's targets: classes from
    0, breast_cancer −1 (malignant) and +1 (benign), diabetes a number to be predicted.
    """
    from sklearn import datasets
    from sklearn.model_selection import train_test_split

    bundled = BUNDLED[name]
    X, target = getattr(datasets, bundled.loader)(return_X_y=True)
    X, y = np.round(bundled.scale(X), DECIMALS), bundled.label(target)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, random_state=SPLIT_SEED, stratify=y if bundled.stratified else None
    )
    return (X_train, y_train), (X_test, y_test)


def make(name: str, folder: Path = FOLDER, arrays: bool = False) -> list[Path]:
    """Write NAME.libsvm and NAME.libsvm.t into the folder; returns the two paths.

    A set of many labels may be written as ``arrays``: see `many_labels.write`.
    """
    if name in many_labels.SETS:
        return many_labels.write(name, folder, arrays)
    paths = [folder / f"{name}.libsvm", folder / f"{name}.libsvm.t"]
    for path, half in zip(paths, load_halves(name), strict=True):
        write_blocks(path, [half])
    return paths


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Write scikit-learn's bundled data sets, and generated ones of many labels, as "
        "LIBSVM text, offline."
    )
    parser.add_argument(
        "names",
        metavar="NAME",
        nargs="*",
        help=f"any of {', '.join(BUNDLED)} (default: all of them), {', '.join(many_labels.SETS)}",
    )
    parser.add_argument(
        "--npz", action="store_true", help="write sets of many labels as .npz files of X and of Y"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="default: beside this script")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in {*BUNDLED, *many_labels.SETS}]
    if unknown:
        known = ", ".join([*BUNDLED, *many_labels.SETS])
        parser.error(f"no data set {unknown[0]!r}; there are {known}")
    plain = [name for name in options.names or BUNDLED if name in BUNDLED]
    if options.npz and plain:
        parser.error(f"--npz is for sets of many labels; {plain[0]} has one label a row")
    try:
        for name in options.names or BUNDLED:
            for path in make(name, options.folder, options.npz):
                print(path)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "sklearn":
            raise
        print("make.py needs scikit-learn: pip install scikit-learn", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"make.py cannot write to {options.folder}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
