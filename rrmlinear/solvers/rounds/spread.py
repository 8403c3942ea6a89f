"""Vectors with an entry for each example, which lie with the parts and are known by numbers."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from rrmlinear.solvers.rounds.orders import Packed

#: A linear combination of vectors of the parts: their numbers, and factors.
Combination = tuple[tuple[int, float], ...]
#: Sums over examples, or tuples of them; those of several parts add up.
Sums = tuple[Any, ...]


class Deed(NamedTuple):
    """What a part does with its vectors: a method of `Vectors` and its arguments."""

    name: str
    arguments: tuple[Any, ...]


class Request(NamedTuple):
    """Vectors that are needed no more, vectors to make under these numbers, and sums to return."""

    freed: tuple[int, ...]
    made: tuple[tuple[int, Deed], ...]
    asked: Deed

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that it sends."""
        deeds = (*(deed for _, deed in self.made), self.asked)
        return sum(getattr(each, "nbytes", 0) for deed in deeds for each in deed.arguments)


def add_sums(first: Sums, second: Sums) -> Sums:
    """The sums of two parts."""
    return tuple(_added(a, b) for a, b in zip(first, second, strict=True))


def _added(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        return add_sums(a, b)
    return a.plus(b) if isinstance(a, Packed) else a + b


class Base:
    """A vector with the parts; they free it once nobody holds this."""

    def __init__(self, number: int, free: Callable[[int], None]) -> None:
        self.number = number
        weakref.finalize(self, free, number)


class Spread:
    """A linear combination of vectors with the parts. Nothing is computed until a sum is asked for.

    ``generation`` counts the times that parts have been lost, and with them their vectors.
    """

    ndim = 1
    __array_ufunc__ = None  # numpy's numbers leave products to this class

    def __init__(self, terms: dict[int, tuple[Base, float]], generation: int) -> None:
        self.terms, self.generation = terms, generation

    @property
    def combination(self) -> Combination:
        """Numbers and factors."""
        return tuple((number, factor) for number, (_, factor) in sorted(self.terms.items()))

    def __mul__(self, factor: float) -> Spread:
        terms = {number: (base, factor * own) for number, (base, own) in self.terms.items()}
        return Spread(terms, self.generation)

    __rmul__ = __mul__

    def __neg__(self) -> Spread:
        return self * -1.0

    def __add__(self, other: Spread | float) -> Spread:
        if not isinstance(other, Spread):  # duals and shifts begin as the number 0
            assert other == 0
            return self
        terms = dict(self.terms)
        for number, (base, factor) in other.terms.items():
            total = factor + (terms[number][1] if number in terms else 0.0)
            terms[number] = base, total
        return Spread({n: term for n, term in terms.items() if term[1] != 0}, self.generation)

    def __sub__(self, other: Spread | float) -> Spread:
        return self + -1.0 * other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spread) and self.combination == other.combination

    __hash__ = None  # type: ignore[assignment]
