"""A slow reader of LIBSVM text, a character at a time: the reference of rrmlinear.read_libsvm.

Written from the C library's rules for strtok, strtol and strtod, with exact fractions where
strtod's errno is in question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

SPACE = b" \t\n\v\f\r"
BLANK = b" \t"
SMALLEST = Fraction(2) ** -1022
LARGEST_FLOAT32 = float.fromhex("0x1.ffffffp127")  # from here on a float32 is infinite
NUMBER = re.compile(
    rb"[ \t\n\v\f\r]*(?P<sign>[+-]?)(?:(?P<hex>0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)"
    rb"(?:[pP][+-]?[0-9]+)?)|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rb"|(?P<special>[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN](?:\([0-9a-zA-Z_]*\))?))"
)
WHOLE = re.compile(rb"[ \t\n\v\f\r]*([+-]?[0-9]+)\Z")


class RefusedError(Exception):
    """The text is not LIBSVM text; line and column count from 1."""

    def __init__(self, line: int, column: int):
        super().__init__(line, column)
        self.line, self.column = line, column


@dataclass
class Examples:
    """The contents of a text: an entry for each example, features as (index as written, value)."""

    labels: list[float] = field(default_factory=list)
    rows: list[list[tuple[int, float]]] = field(default_factory=list)
    query_ids: list[int | None] = field(default_factory=list)
    passed: dict[int, int] = field(default_factory=dict)  # line: column of what was passed over


def _bounded(power: str) -> int:
    """An exponent; beyond the bound no short number is in range, and fractions become slow."""
    return max(-5000, min(5000, int(power or 0)))


def strtod(token: bytes) -> tuple[float, int, bool]:
    """(value, characters read, whether errno says out of range)."""
    match = NUMBER.match(token)
    if match is None:
        return 0.0, 0, False
    sign = -1.0 if match["sign"] == b"-" else 1.0
    if match["special"]:
        return sign * float(match["special"][:3]), match.end(), False
    if match["decimal"]:
        digits, _, power = match["decimal"].lower().decode().partition("e")
        text = f"{digits}e{_bounded(power)}"
        value, exact = float(text), Fraction(text)
    else:
        digits, _, power = match["hex"][2:].lower().decode().partition("p")
        whole, _, part = digits.partition(".")
        power = _bounded(power)
        exact = Fraction(int(whole + part, 16)) * Fraction(2) ** (power - 4 * len(part))
        try:
            value = float.fromhex(f"0x{digits}p{power}")
        except OverflowError:
            value = float("inf")
    tiny = exact < SMALLEST * (1 - Fraction(1, 2**54))
    out_of_range = value == float("inf") or (tiny and exact != Fraction(value))
    return sign * value, match.end(), out_of_range


def find_blank(line: bytes, begin: int) -> int:
    """Where the token at ``begin`` ends."""
    return next((k for k in range(begin, len(line)) if line[k] in BLANK), len(line))


def skip_blanks(line: bytes, begin: int) -> int:
    """Where the next token begins."""
    return next((k for k in range(begin, len(line)) if line[k] not in BLANK), len(line))


def read_line(
    line: bytes,
    number: int,
    first: int,
    largest: int,
    float32: bool,
    pass_over: Callable[[int], None],
) -> tuple[float, int | None, list[tuple[int, float]]] | None:
    """(label, query id, features) of one line without its newline; None for a comment."""
    line = line.removesuffix(b"\r")
    if b"\r" in line:
        pass_over(line.index(b"\r") + 1)
    comment = re.search(rb"(?:\A|[ \t])(#)", line)
    if comment:
        line = line[: comment.start(1)]
    if 0 in line:
        raise RefusedError(number, line.index(0) + 1)
    begin = skip_blanks(line, 0)
    end = find_blank(line, begin)
    if begin == end:
        if comment:
            return None
        raise RefusedError(number, 1)
    label, used, _ = strtod(line[begin:end])
    if used != end - begin or label - label != 0:
        raise RefusedError(number, begin + 1)
    rest = end + 1
    query_id = None
    begin = skip_blanks(line, rest)
    if line.startswith(b"qid:", begin):
        token = re.match(rb"[^ \t\n\v\f\r]*", line[begin:])[0]
        match = WHOLE.match(token[4:])
        if match is None or not -(2**63) <= int(match[1]) < 2**63:
            raise RefusedError(number, begin + 1)
        query_id = int(match[1])
        rest = begin + len(token) + 1
    features: list[tuple[int, float]] = []
    previous = first - 1
    while True:
        while rest < len(line) and line[rest] == ord(":"):
            rest += 1
        colon = line.find(b":", rest)
        if colon < 0:
            begin = skip_blanks(line, rest)
            if begin < len(line):
                pass_over(begin + 1)
            return label, query_id, features
        match = WHOLE.match(line[rest:colon])
        index = int(match[1]) if match else None
        if index is None or not previous < index <= largest:
            raise RefusedError(number, skip_blanks(line, rest) + 1)
        begin = skip_blanks(line, colon + 1)
        end = find_blank(line, begin)
        token = line[begin:end]
        value, used, out_of_range = strtod(token)
        if (
            used == 0
            or (used < len(token) and token[used] not in SPACE)
            or out_of_range
            or value - value != 0
            or (float32 and abs(value) >= LARGEST_FLOAT32)
        ):
            raise RefusedError(number, begin + 1)
        if rest_of_token := token[used:].lstrip(SPACE):
            pass_over(end - len(rest_of_token) + 1)
        features.append((index, value))
        previous = index
        rest = end + 1


def read_text(
    text: bytes,
    zero_based: bool | str = False,
    n_features: int | None = None,
    float32: bool = False,
    strict: bool = False,
) -> Examples:
    """All examples of a text, or RefusedError for the first line that is wrong."""
    examples = Examples()
    first = 1 if zero_based is False else 0
    largest = 2**63 - 1 - (zero_based is not False)
    if n_features is not None:
        largest = n_features - (zero_based is True)
    lines = text.split(b"\n")
    if lines[-1] == b"":
        lines.pop()

    def pass_over(column: int) -> None:
        if strict:
            raise RefusedError(number, column)
        examples.passed.setdefault(number, column)

    for number, line in enumerate(lines, 1):
        example = read_line(line, number, first, largest, float32, pass_over)
        if example is None:
            continue
        label, query_id, features = example
        if examples.labels and (query_id is None) != (examples.query_ids[0] is None):
            raise RefusedError(number, 1)
        examples.labels.append(label)
        examples.query_ids.append(query_id)
        examples.rows.append(features)
    if zero_based == "auto" and n_features is not None and _has_zero(examples):
        return read_text(text, True, n_features, float32, strict)
    return examples


def _has_zero(examples: Examples) -> bool:
    return any(index == 0 for row in examples.rows for index, _ in row)
