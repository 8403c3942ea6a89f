"""The error for choices that are wrong; each interface words it with its own names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

#: A name is near to a wrong one if difflib's ratio of both is at least this.
LEAST_ALIKE = 0.8


class Named:
    """A choice that a sentence names, alone or with values of it."""

    def __init__(self, field: str, *values: Any):
        self.field, self.values = field, values

    @property
    def chosen(self) -> str:
        """The values, in a row."""
        return alternatives(self.values)


Sentence = tuple[str | Named, ...]


def alternatives(values: Any) -> str:
    """Values as words: "35, 36 or 42"."""
    *first, last = [str(value) for value in values]
    return f"{', '.join(first)} or {last}" if first else last


def in_fields(named: Named) -> str:
    """A choice by the name of its field in `Parameter`."""
    return f"{named.field} {named.chosen}" if named.values else named.field


class ChoiceError(ValueError):
    """A choice that does not exist, is out of range, has no effect, or is missing.

    ``field`` is the choice and ``value`` the value given; ``allowed`` describes the range if the
    value is out of range. `str` words the error with names of fields, `worded` with other names.
    """

    def __init__(
        self, *sentence: str | Named, field: str = "", value: Any = None, allowed: str = ""
    ):
        self.sentence: Sentence = sentence
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(self.worded(in_fields))

    def worded(self, spell: Callable[[Named], str]) -> str:
        """The sentence with choices spelled by ``spell``."""
        return "".join(part if isinstance(part, str) else spell(part) for part in self.sentence)

    def __reduce__(self) -> Any:
        return _restored, (self.sentence, self.field, self.value, self.allowed)


def _restored(sentence: Sentence, field: str, value: Any, allowed: str) -> ChoiceError:
    return ChoiceError(*sentence, field=field, value=value, allowed=allowed)


def out_of_range(field: str, value: Any, allowed: str) -> ChoiceError:
    """The error for a value that is not admitted; ``allowed`` follows "it must"."""
    return ChoiceError(
        Named(field), f" is {value!r}, it must {allowed}", field=field, value=value, allowed=allowed
    )


def nearest(value: Any, known: Iterable[Any]) -> str:
    """The known name that is near to a wrong one, as a question in brackets, or nothing."""
    from difflib import get_close_matches

    spelled = {str(name).lower().replace("_", "-"): name for name in known}
    near = get_close_matches(str(value).lower().replace("_", "-"), spelled, 1, LEAST_ALIKE)
    return f" (did you mean {spelled[near[0]]}?)" if near else ""


def unknown(field: str, value: Any, known: Any) -> ChoiceError:
    """The error for a name that does not exist."""
    names = ", ".join(map(str, known))
    sentence = f"unknown {field} {value!r}{nearest(value, known)}; there are {names}"
    return ChoiceError(sentence, field=field, value=value, allowed=f"be one of {names}")


def no_effect(field: str, value: Any, place: Sentence, instead: Sentence) -> ChoiceError:
    """The error for a choice without effect at this place; ``instead`` shows where it has one."""
    return ChoiceError(
        Named(field),
        " has no effect with ",
        *place,
        ": it is for ",
        *instead,
        field=field,
        value=value,
    )
