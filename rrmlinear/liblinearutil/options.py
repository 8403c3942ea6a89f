"""The parameter of a training: LIBLINEAR's options as attributes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.catalog.solvers import SOLVERS, find_solver
from rrmlinear.cli.flags import SEARCHED, check_bias, without_effect

#: LIBLINEAR's solver types by their names.
solver_names = IntEnum(  # type: ignore[misc]
    "solver_names", {row.name: row.number for row in SOLVERS.values() if row.is_liblinear}
)


def _solver_type(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return find_solver(text).number


USUAL_FOLDS = 5
#: Attributes of options that take a value, with the converter of its text.
VALUES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "-s": ("solver_type", _solver_type),
    "-c": ("C", float),
    "-p": ("p", float),
    "-n": ("nu", float),
    "-e": ("eps", float),
    "-B": ("bias", float),
    "-v": ("nr_fold", int),
    "-m": ("nr_thread", int),
}


class parameter:  # noqa: N801  (LIBLINEAR's name)
    """Options of `train`, by a string or a list as on LIBLINEAR's command line.

    Attributes may be set later: ``solver_type``, ``C``, ``p`` (ε of the regressions, None for its
    default), ``nu``, ``eps`` (LIBLINEAR's tolerance, None for that of the type), ``bias``,
    ``regularize_bias``, ``weight_label`` and ``weight`` (lists), ``nr_fold`` (0: no cross
    validation), ``nr_thread``, ``flag_find_parameters`` (-C) and ``quiet``. The other flags say
    which options were given.

    Every solver type of the package is allowed, by its number or name: 30, MCSVM_WW. Raises
    ValueError for an unknown option, or a value that is no number.
    """

    def __init__(self, options: str | Sequence[str] | None = None):
        self.parse_options("" if options is None else options)

    def set_to_default_values(self) -> None:
        """The values where no option is given."""
        self.solver_type: int | str = 1
        self.C = 1.0
        self.p: float | None = None
        self.nu: float | None = None
        self.eps: float | None = None
        self.bias = -1.0
        self.regularize_bias = True
        self.weight_label: list[int] = []
        self.weight: list[float] = []
        self.nr_fold = 0
        self.nr_thread: int | None = None
        self.quiet = False
        self.flag_find_parameters = False
        self.flag_C_specified = self.flag_p_specified = self.flag_solver_specified = False

    def parse_options(self, options: str | Sequence[str]) -> None:
        """Set everything by options; what they do not name has its default."""
        if not isinstance(options, str | list | tuple):
            raise TypeError(f"options must be a str or a list, not {type(options).__name__}")
        self.set_to_default_values()
        arguments = iter(shlex.split(options) if isinstance(options, str) else options)
        given = set()
        for option in arguments:
            given.add(option)
            if option == "-q":
                self.quiet = True
            elif option == "-C":
                self.flag_find_parameters = True
            elif option == "-R":
                self.regularize_bias = False
            elif option in VALUES:
                name, convert = VALUES[option]
                setattr(self, name, _value(option, convert, arguments))
            elif option.startswith("-w"):
                self.weight_label.append(_value("-wi", int, iter([option[2:]])))
                self.weight.append(_value(option, float, arguments))
            else:
                allowed = ", ".join(["-q", "-C", "-R", *VALUES, "-wi"])
                raise ValueError(f"unknown option {option!r}; there are {allowed}")
        self.flag_C_specified, self.flag_p_specified = "-c" in given, "-p" in given
        self.flag_solver_specified = "-s" in given
        if "-v" in given and self.nr_fold < 2:
            raise ValueError(f"-v takes at least 2 folds, not {self.nr_fold}")
        if self.flag_find_parameters and "-s" not in given:
            self.solver_type = SEARCHED

    @property
    def flag_cross_validation(self) -> bool:
        """Whether there are folds (-v)."""
        return self.nr_fold > 0

    @property
    def nr_weight(self) -> int:
        """The number of weights of classes (-wi)."""
        return len(self.weight)

    def selection(self) -> Selection:
        """The checked choices of the package; raises ValueError for wrong ones."""
        weights: dict[int, float] = {}
        for label, weight in zip(self.weight_label, self.weight, strict=True):
            weights[label] = weights.get(label, 1.0) * weight
        made: dict[str, Any] = {
            "solver": self.solver_type,
            "C": self.C,
            "epsilon": self.p,
            "nu": self.nu,
            "tolerance": self.eps,
            "free_bias": None if self.regularize_bias else True,
            "threads": self.nr_thread,
            "class_weights": weights,
        }
        row = find_solver(self.solver_type)
        if row.is_liblinear:
            without_effect(row, made)
        check_bias(row, not self.regularize_bias, self.bias)
        return select(Parameter(**{name: v for name, v in made.items() if v is not None}))

    def __str__(self) -> str:
        return "\n".join(f"{name}: {value}" for name, value in vars(self).items())


def print_null(_: str) -> None:
    """Print nothing."""


def _value(option: str, convert: Callable[[str], Any], arguments: Any) -> Any:
    text = next(arguments, None)
    if text is None:
        raise ValueError(f"{option} needs a value")
    try:
        return convert(text)
    except ChoiceError:
        raise
    except ValueError:
        kind = "whole number" if convert is int else "number"
        raise ValueError(f"{option} takes a {kind}, not {text!r}") from None
