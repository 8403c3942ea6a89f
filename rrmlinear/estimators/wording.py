"""The words of estimators: their names of solvers, and errors about choices in their parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rrmlinear.catalog.errors import ChoiceError, Named, alternatives, in_fields, nearest

#: Name of a solver → solver type of Parameter.
SOLVERS: dict[str, int | str] = {
    "auto": "auto",
    "prox-sdca": 32,
    "accelerated": 33,
    "pragam": 34,
    "agm": 35,
    "agm-1": 36,
    "pdprox-dual": 37,
    "pdprox-primal": 38,
    "bmrm": 39,
    "ls-bmrm": 40,
    "fista": 42,
    "newton": "newton",
}

#: Parameters that have another name than the choice.
PARAMETERS = {
    "class_weights": "class_weight",
    "free_bias": "fit_intercept='unregularized'",
    "gap_tol": "tol",
    "max_passes": "max_iter",
    "seed": "random_state",
    "threads": "n_jobs",
}


def unknown_name(parameter: str, name: Any, known: Collection[str]) -> ValueError:
    """The error for a parameter that is none of these names."""
    near = nearest(name, known)
    return ValueError(f"{parameter} is {name!r}{near}; it must be one of {', '.join(known)}")


def own_words(error: ChoiceError, solvers: Mapping[str, int | str], **renamed: str) -> ValueError:
    """A ChoiceError in the names of parameters, and of these solvers."""

    def spell(named: Named) -> str:
        if named.field == "solver" and named.values:
            first = {number: name for name, number in reversed([*solvers.items()])}
            known = [first[number] for number in named.values if number in first]
            return f"solver {alternatives(known)}" if known else "others"
        words = PARAMETERS | renamed
        return words[named.field] if named.field in words else in_fields(named)

    return ValueError(error.worded(spell))
