"""Kinds of values of choices: which values are admitted, and the words for that."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from rrmlinear.catalog.errors import ChoiceError, out_of_range, unknown
from rrmlinear.core.records import record


class Values:
    """Any value; the class that takes it checks it."""

    @property
    def allowed(self) -> str:
        """The values admitted, in words that follow "it must"."""
        return ""

    def admits(self, value: Any) -> bool:
        """Whether this may be chosen."""
        return True

    def refusal(self, field: str, value: Any) -> ChoiceError:
        """The error for a value of this choice that is not admitted."""
        return out_of_range(field, value, self.allowed)


@record()
class Switch(Values):
    """True, False, or None for the usual one."""

    usual: bool = False


class Columns(Values):
    """Columns of the data, or numbers for each of them."""


class RowName(Values):
    """The name of a row of another table: a loss, a regularizer or a solver type."""


@record()
class Names(Values):
    """One of a few names, the default first where there is one."""

    names: tuple[str, ...]

    @property
    def allowed(self) -> str:
        return f"be one of {', '.join(self.names)}"

    def admits(self, value: Any) -> bool:
        return value in self.names

    def refusal(self, field: str, value: Any) -> ChoiceError:
        return unknown(field, value, self.names)


@record()
class Number(Values):
    """A number above ``above``, of at least ``least``, below ``below`` and of at most ``most``."""

    above: float = -math.inf
    least: float = -math.inf
    below: float = math.inf
    finite: bool = True
    most: float = math.inf
    #: What is said behind bounds on both sides.
    why: str = ""

    def holds(self, least: float, most: float) -> bool:
        """Whether it admits all finite numbers from ``least`` to ``most``."""
        from_below = least > self.above and least >= self.least
        return from_below and most < self.below and most <= self.most

    @property
    def allowed(self) -> str:
        if self.below < math.inf and self.least > -math.inf:
            return f"be at least {self.least:g} and below {self.below:g}"
        if self.most < math.inf and self.least > -math.inf:
            return f"lie in [{self.least:g}, {self.most:g}]"
        if self.most < math.inf:
            return f"be above {self.above:g} and at most {self.most:g}"
        if self.below < math.inf:
            return f"lie between {self.above:g} and {self.below:g}{self.why}"
        if self.above not in (-math.inf, 0):
            return f"lie above {self.above:g} and be finite"
        bound = f"be at least {self.least:g}" if self.least > -math.inf else "be positive"
        return f"{bound} and finite" if self.finite else bound

    def admits(self, value: Any) -> bool:
        if not isinstance(value, Real):
            return False
        number = float(value)
        inside = number > self.above and self.least <= number <= self.most
        return inside and (number < self.below if self.finite else number <= self.below)


@record()
class Whole(Values):
    """A whole number of at least ``least`` and at most ``most``."""

    least: int
    most: int | None = None

    @property
    def allowed(self) -> str:
        if self.most is None:
            return f"be a whole number of at least {self.least}"
        return f"be a whole number in {self.least} … {self.most}"

    def admits(self, value: Any) -> bool:
        whole = isinstance(value, Integral) and int(value) >= self.least
        return whole and (self.most is None or int(value) <= self.most)


class Size(Whole):
    """A number of bytes."""


@record()
class NamesOrWhole(Names):
    """One of a few names, or a whole number from 1 on, the number of ``counted``."""

    counted: str = ""

    @property
    def allowed(self) -> str:
        return f"be {', '.join(self.names)} or a number of {self.counted}"

    def admits(self, value: Any) -> bool:
        return value in self.names or (isinstance(value, Integral) and int(value) >= 1)

    def refusal(self, field: str, value: Any) -> ChoiceError:
        return out_of_range(field, value, self.allowed)


class Factors(Values):
    """A finite factor of at least 0 for each of some labels."""

    @property
    def allowed(self) -> str:
        return "be at least 0 and finite"

    def admits(self, value: Any) -> bool:
        inside = Number(least=0)
        return all(inside.admits(factor) for factor in value.values())

    def refusal(self, field: str, value: Any) -> ChoiceError:
        label = next(each for each in value if not self.admits({each: value[each]}))
        sentence = f"the weight of class {label} is {value[label]}, it must {self.allowed}"
        return ChoiceError(sentence, field=field, value=value, allowed=self.allowed)
