"""Frozen dataclasses that share their methods.

`dataclass` writes the source of the methods of each class and compiles it, which takes 0.4 to 2.5
ms a class: a third of what a short command spends on imports. Here it only gathers the fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from inspect import Signature

T = TypeVar("T")
#: Entries of an array or a list that a repr shows one by one.
MOST_SHOWN = 6


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(*, eq: bool = False) -> Callable[[type[T]], type[T]]:
    """A frozen dataclass, for `replace` and `fields` too. With ``eq``, equal fields make equal
    records; else each equals itself alone.
    """
    methods: dict[str, Any] = {
        "__init__": _init,
        "__repr__": _repr,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__signature__": _Signature(),
    }
    if eq:
        methods |= {"__eq__": _equals, "__hash__": _hash}

    def made(cls: type[T]) -> type[T]:
        own = {*vars(cls), *(["__repr__"] if cls.__repr__ is not object.__repr__ else [])}
        added = {name: each for name, each in methods.items() if name not in own}
        dataclass(init=False, repr=False, eq=False)(cls)
        every: Any = fields(cls)  # type: ignore[arg-type]
        #: The fields in their order with their defaults, and those without one.
        added["_defaults"] = {e.name: e.default for e in every}
        added["_needed"] = needed = frozenset(
            e.name for e in every if e.default is MISSING and e.default_factory is MISSING
        )
        #: Those come first: so many arguments without names take them all.
        named = any(e.kw_only for e in every if e.name in needed)
        added["_first"] = math.inf if named else len(needed)
        added["_factories"] = {
            e.name: e.default_factory for e in every if e.default_factory is not MISSING
        }
        added["_checks"] = hasattr(cls, "__post_init__")
        for name, each in added.items():
            setattr(cls, name, each)
        return cls

    return made


def _init(self: Any, *given: Any, **named: Any) -> None:
    cls, values, names, n = type(self), self.__dict__, self.__match_args__, len(given)
    values.update(cls._defaults)
    values.update(zip(names, given))  # noqa: B905 the count says if there are more
    wrong = n > len(names)
    if named:
        values.update(named)
        twice = not named.keys().isdisjoint(names[:n])
        wrong |= twice or len(values) > len(cls._defaults)
    if wrong or (n < cls._first and not cls._needed <= {*names[:n], *named}):
        _refuse_arguments(cls, given, named)
    for name, factory in cls._factories.items():
        if values[name] is MISSING:
            values[name] = factory()
    if cls._checks:
        self.__post_init__()


def replace(one: T, **named: Any) -> T:
    """A record with other values of some fields, as `dataclasses.replace` makes it."""
    cls: Any = type(one)
    known = cls.__dataclass_fields__
    if not named.keys() <= known.keys():
        _refuse_arguments(cls, (), vars(one) | named)
    other, values = cls.__new__(cls), {**vars(one), **named}
    vars(other).update({name: values[name] for name in known})
    if cls._checks:
        other.__post_init__()
    return other  # type: ignore[no-any-return]


def _refuse_arguments(cls: Any, given: Any, named: Any) -> NoReturn:
    try:
        cls.__signature__.bind(*given, **named)
    except TypeError as error:
        raise TypeError(f"{cls.__qualname__}.__init__() {error}") from None
    raise AssertionError(cls)


def _repr(self: Any) -> str:
    """The fields that are not at their defaults, in one line: arrays by their type and shape."""
    told = [
        f"{name}={_short(getattr(self, name))}"
        for name, usual in self._defaults.items()
        if getattr(self, name) is not usual
    ]
    return f"{type(self).__name__}({', '.join(told)})"


def _short(value: Any) -> str:
    """A value in a few words."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and math.prod(shape) > MOST_SHOWN:
        kind = getattr(value, "dtype", type(value).__name__)
        return f"<{' × '.join(map(str, shape))} {kind}>"
    if hasattr(value, "tolist"):
        return repr(value.tolist())
    if isinstance(value, list | tuple | dict) and len(value) > MOST_SHOWN:
        return f"<{type(value).__name__} of {len(value)}>"
    return repr(value)


def _refuse(self: Any, name: str, *value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, each.name) for each in fields(self) if each.compare)


def _equals(self: Any, other: Any) -> Any:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


class _Signature:
    """The arguments of a record's class, put together when they are asked for."""

    def __get__(self, _: Any, cls: Any) -> Signature:
        from inspect import Parameter, Signature

        made = {name: factory() for name, factory in cls._factories.items()}
        stated = {name: each for name, each in cls._defaults.items() if each is not MISSING}
        defaults = {**stated, **made}
        kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        return Signature(
            [
                Parameter(
                    each.name,
                    kinds[bool(each.kw_only)],
                    default=defaults.get(each.name, Parameter.empty),
                    annotation=each.type,
                )
                for each in fields(cls)
            ]
        )
