"""Errors about choices in the words of an estimator: its parameters, its names of solvers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rrmlinear.catalog.errors import ChoiceError, Named, alternatives, in_fields

#: Parameters that have another name than the choice.
PARAMETERS = {
    "class_weights": "class_weight",
    "free_bias": "fit_intercept='unregularized'",
    "gap_tol": "tol",
    "seed": "random_state",
    "threads": "n_threads",
}


@contextmanager
def own_words(solvers: Mapping[str, int | str]) -> Iterator[None]:
    """Say a ChoiceError of the block with the names of parameters, and of these solvers."""
    names: dict[int | str, list[str]] = {}
    for name, number in solvers.items():
        names.setdefault(number, []).append(name)

    def spell(named: Named) -> str:
        if named.field == "solver" and named.values:
            known = [name for number in named.values for name in names.get(number, [])]
            return f"solver {alternatives(known)}" if known else "others"
        if named.field in PARAMETERS:
            return PARAMETERS[named.field]
        return in_fields(named)

    try:
        yield
    except ChoiceError as error:
        raise ValueError(error.worded(spell)) from None
