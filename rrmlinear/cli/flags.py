"""The spelling of choices on the command line and of errors about them, and LIBLINEAR's rules for
its own solver types: options that they leave alone, and -R.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.rows import SolverRow
from rrmlinear.catalog.solvers import SOLVERS

#: The type of a parameter search where none is chosen.
SEARCHED = 2


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
