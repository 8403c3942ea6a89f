"""States of plain types: what pickle, joblib, skops and others keep of an object."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from rrmlinear.core.cached import cached_property

PACKAGE = __name__.partition(".")[0]
#: Keys of a state: the version that wrote it; the class of an object inside of it, and its
#: attributes, by columns where a list of objects has numbers alone; the pairs of a dict whose keys
#: are no text, which some writers lose.
VERSION, CLASS, STATE, COLUMNS, PAIRS = (
    f"{PACKAGE}_{name}" for name in ("version", "class", "state", "columns", "pairs")
)
#: Types that an array keeps as they are.
NUMBERS = (bool, int, float)


class PlainState:
    """An object whose state has text, numbers, arrays, lists, tuples and dicts alone, and what
    the caller gave. Objects of this package inside of it are dicts that name their class.
    """

    def __getstate__(self) -> dict[str, Any]:
        return {VERSION: own_version(), **_attributes(self)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        values = {name: restored(value) for name, value in state.items() if name != VERSION}
        vars(self).update(values)
        wrote = state.get(VERSION)
        if wrote not in (None, own_version()):
            warnings.warn(
                f"a {type(self).__name__} that {PACKAGE} {wrote} kept is read by "
                f"{PACKAGE} {own_version()}; attributes may have changed",
                stacklevel=2,
            )


@cache
def own_version() -> str:
    """The version of this package."""
    from importlib.metadata import version  # it takes 10 ms, and few processes keep an object

    return version(PACKAGE)


def plain(value: Any) -> Any:
    """The value in plain types, as far as this package made it."""
    if isinstance(value, Mapping):
        pairs = {key: plain(each) for key, each in value.items()}
        if all(isinstance(key, str) for key in pairs):
            return pairs
        return {PAIRS: [[key, each] for key, each in pairs.items()]}
    if _is_ours(value):
        if isinstance(value, Enum):
            return {CLASS: _place(value), STATE: value.name}
        if isinstance(value, tuple):
            return {CLASS: _place(value), STATE: [plain(each) for each in value]}
        return {CLASS: _place(value), STATE: _attributes(value)}
    if type(value) is tuple:
        return tuple(plain(each) for each in value)
    if type(value) is list:
        return _columns(value) or [plain(each) for each in value]
    return value


def restored(value: Any) -> Any:
    """The inverse of `plain`; other values stay as they are."""
    if isinstance(value, Mapping):
        if CLASS in value:
            return _object(value)
        pairs = value[PAIRS] if PAIRS in value else value.items()
        return {key: restored(each) for key, each in pairs}
    if type(value) in (list, tuple):
        return type(value)(restored(each) for each in value)
    return value


def _is_ours(value: Any) -> bool:
    known = isinstance(value, (PlainState, Enum)) or hasattr(value, "_fields")
    return known and type(value).__module__.startswith(f"{PACKAGE}.")


def _place(value: Any) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def _attributes(value: Any) -> dict[str, Any]:
    """What it holds, without what it computes again when it is asked for it."""
    cls = type(value)
    return {
        name: plain(each)
        for name, each in vars(value).items()
        if not isinstance(getattr(cls, name, None), cached_property)
    }


def _columns(values: Sequence[Any]) -> dict[str, Any] | None:
    """Objects of one class whose attributes are numbers, as an array for each attribute."""
    if not values or not (_is_ours(values[0]) and isinstance(values[0], PlainState)):
        return None
    names = tuple(vars(values[0]))
    if any(type(v) is not type(values[0]) or tuple(vars(v)) != names for v in values):
        return None
    columns = {name: [vars(value)[name] for value in values] for name in names}
    for numbers in columns.values():
        if len({type(number) for number in numbers}) != 1 or type(numbers[0]) not in NUMBERS:
            return None
    return {CLASS: _place(values[0]), COLUMNS: {n: np.array(c) for n, c in columns.items()}}


def _object(value: Mapping[str, Any]) -> Any:
    """The object, or the list of objects, that a dict of `plain` describes."""
    module, _, name = value[CLASS].partition(":")
    cls = getattr(import_module(module), name) if module.startswith(f"{PACKAGE}.") else None
    if not isinstance(cls, type) or not issubclass(cls, (PlainState, Enum, tuple)):
        raise ValueError(f"{value[CLASS]!r} is no class whose state {PACKAGE} reads")
    if issubclass(cls, Enum):
        return cls[value[STATE]]
    if issubclass(cls, tuple):
        return cls(*map(restored, value[STATE]))
    if COLUMNS not in value:
        return _made(cls, value[STATE])
    columns = value[COLUMNS]
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [_made(cls, dict(zip(columns, row, strict=True))) for row in rows]


def _made(cls: Any, state: Mapping[str, Any]) -> Any:
    made = cls.__new__(cls)
    made.__setstate__(state)
    return made
