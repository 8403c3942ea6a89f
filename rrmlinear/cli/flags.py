"""The spelling of choices on the command line, and of errors about them."""

from __future__ import annotations

from typing import NamedTuple

from rrmlinear.catalog.errors import ChoiceError, Named


class Flag(NamedTuple):
    """The flag of a choice, and the name of its value in the usage text.

    ``told`` is the flag in sentences; ``out_of_range`` are LIBLINEAR's words before a sentence on a
    value out of range. A flag without ``value`` turns a switch from where it usually stands.
    """

    flag: str
    value: str = ""
    told: str = ""
    out_of_range: str = ""


#: The flags of the choices in the order of the usage text.
FLAGS = {
    "solver": Flag("-s", "type"),
    "loss": Flag("--loss", "name"),
    "regularizer": Flag("--regularizer", "name"),
    "l1": Flag("--l1", "S"),
    "radius": Flag("--radius", "R"),
    "groups": Flag("--groups", "file"),
    "group_weights": Flag("--group-weights", "file"),
    "penalty_factors": Flag("--penalty-factors", "file"),
    "lower": Flag("--lower", "a"),
    "upper": Flag("--upper", "b"),
    "unpenalized": Flag("--unpenalized", "features"),
    "limit": Flag("--limit", "L"),
    "smoothing": Flag("--smoothing", "g"),
    "epsilon": Flag("-p", "epsilon", "-p (epsilon)", "p < 0: "),
    "nu": Flag("-n", "nu"),
    "huber": Flag("--huber", "delta"),
    "quantile": Flag("--quantile", "q"),
    "slope": Flag("--slope", "s"),
    "power": Flag("--power", "p"),
    "beta": Flag("--beta", "b"),
    "k": Flag("--k", "k"),
    "budget": Flag("--budget", "m"),
    "C": Flag("-c", "cost", "", "C <= 0: "),
    "class_weights": Flag("-wi", "weight"),
    "free_bias": Flag("-R"),
    "observed": Flag("--observed"),
    "tolerance": Flag("-e", "epsilon", "", "eps <= 0: "),
    "gap_tol": Flag("--gap-tol", "r"),
    "max_passes": Flag("-t", "passes"),
    "time_limit": Flag("--time-limit", "s"),
    "option": Flag("--option", "O"),
    "sampling": Flag("--sampling", "name"),
    "averaging": Flag("--averaging"),
    "line_search": Flag("--line-search", "name"),
    "route": Flag("--route", "name"),
    "lipschitz": Flag("--lipschitz", "name"),
    "prox": Flag("--prox", "name"),
    "ratio": Flag("--ratio", "r"),
    "storage": Flag("--storage", "name"),
    "accelerate": Flag("--no-accelerate"),
    "inner": Flag("--inner", "pace"),
    "block": Flag("--block", "name"),
    "batch": Flag("--batch", "size"),
    "seed": Flag("-S", "seed"),
    "threads": Flag("-m", "threads"),
    "memory": Flag("--memory", "size"),
}


def sentence_of(error: ValueError | FloatingPointError) -> str:
    """The message of an error, with choices by their flags, in LIBLINEAR's words if it has any."""
    if not isinstance(error, ChoiceError):
        return str(error)
    liblinear = FLAGS[error.field].out_of_range if error.field else ""
    words = error.worded(_by_flag)
    return f"{liblinear}{words}" if error.allowed else words


def _by_flag(named: Named) -> str:
    if named.field in ("loss", "regularizer") and named.values:
        return f"{named.field} {named.chosen}"
    flag = FLAGS[named.field]
    return f"{flag.flag} {named.chosen}" if named.values and flag.value else flag.told or flag.flag
