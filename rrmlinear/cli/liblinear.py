"""LIBLINEAR's rules for its own solver types: options that they leave alone, and -R."""

from __future__ import annotations

from typing import Any

from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.rows import SolverRow
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.cli.flags import FLAGS

#: The type of a parameter search where none is chosen.
SEARCHED = 2


def without_effect(row: SolverRow, made: dict[str, Any]) -> list[str]:
    """Take the choices that LIBLINEAR's type ignores out of those made; sentences on them."""
    kind = loss_row(row.loss).kind
    ignored = {
        "epsilon": "epsilon" not in row.numbers,
        "nu": "nu" not in row.choices,
        "class_weights": kind not in ("binary", "multiclass"),
        "C": kind == "one-class",
    }
    sentences = []
    for name, is_ignored in ignored.items():
        if is_ignored and made.get(name) not in (None, {}):
            sentences.append(f"{FLAGS[name].flag} has no effect with -s {row.number}: ignored")
            del made[name]
    return sentences


def check_bias(row: SolverRow, free: bool, bias: float) -> None:
    """Raise ValueError in LIBLINEAR's words for -R without a bias, or where its types lack it."""
    if not free:
        return
    if not bias > 0:
        raise ValueError(f"To not regularize bias, must specify -B 1 along with -R: -B is {bias:g}")
    if row.is_liblinear and "free_bias" not in row.choices:
        *first, last = [
            each.name
            for each in SOLVERS.values()
            if each.is_liblinear and "free_bias" in each.choices
        ]
        raise ValueError(
            f"-R option supported only for solver {', '.join(first)}, and {last}: -s is "
            f"{row.number}, {row.name}"
        )
