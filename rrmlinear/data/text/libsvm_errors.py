"""The error or the warning about a line of LIBSVM text, in one sentence."""

from __future__ import annotations

import re

from rrmlinear.data.container.signature import head_of

#: What files that are no LIBSVM text begin with, and what they are.
OTHERS = {
    b"%%Matrix": "a Matrix Market file",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"\x93NUMPY": "an array of NumPy",
    b"PK\x03\x04": "an archive, such as .npz",
    b"PAR1": "a table of Parquet",
    b"ARROW1": "a table of Arrow",
}
MODELS = {b"solver_t": "a model", b"rrmlinea": "a model of many labels"}
LABELS = re.compile(r"[+-]?\d+(,[+-]?\d+)+")
#: Most characters of a wrong text that a message quotes.
QUOTED = 40


class LibsvmFormatError(ValueError):
    """A line that is not LIBSVM text: ``line`` and ``column`` from 1, ``path`` as messages call it.

    The message's first line is LIBLINEAR's; the second has the text found and the allowed one.
    """

    line = 0
    column = 0
    path = ""

    @classmethod
    def at(cls, path: str, line: int, column: int, text: str) -> LibsvmFormatError:
        """The error, with this text, or in the first line with what the file is instead."""
        head = head_of(path) if line == 1 else b""
        for begin, kind in (OTHERS | MODELS).items():
            if head.startswith(begin):
                way = "Problem.open and the commands read it"
                way = "predict takes it, behind the data" if begin in MODELS else way
                column, text = 1, f"found {kind}: {way}"
        error = cls(
            f"Wrong input format at line {line}\n{path}, line {line}, column {column}: {text}"
        )
        error.line, error.column, error.path = line, column, path
        return error


def warning_of(path: str, line: int, column: int, text: str, code: str, lines: int) -> str:
    """The warning about text that is passed over, and in how many lines."""
    done = {"LONE_CR": "it is read as a blank", "LEFT_OUT": "it is left out"}[code]
    more = f"; {lines - 1} more such line{'s' * (lines > 2)}" if lines > 1 else ""
    return f"{path}, line {line}, column {column}: {text}; {done}{more}"


def shown(text: str) -> str:
    """Text as messages quote it: its beginning, where it is long."""
    return repr(text if len(text) <= QUOTED else text[:QUOTED] + "…")


def explain(
    code: str, found: str, previous: int, zero_based: bool | str, n_features: int | None
) -> str:
    """The sentence for a fault: its code in the parser, and the text that was found."""
    quoted = shown(found)
    first = "1" if zero_based is False else "0"
    commas = "; LIBSVM text has blanks between its parts, not commas" if "," in found else ""
    if LABELS.fullmatch(found):
        commas += "; several labels of an example are for models of many labels"
    sentences = {
        "EMPTY_LINE": "the line is empty; a label is needed",
        "NUL_BYTE": "found a NUL byte: this is no text, or text of UTF-16, to be saved as UTF-8",
        "BAD_LABEL": f"found {quoted} where a label is expected, which is one number{commas}",
        "LABEL_NOT_FINITE": f"the label {quoted} is not finite",
        "BAD_QUERY_ID": f"found {quoted} where qid: and a whole number of 64 bits is expected",
        "QUERY_ID_MISSING": "this example has no qid: but those before have one",
        "QUERY_ID_UNEXPECTED": "this example has a qid: but those before have none",
        "QUERY_ID_NEEDED": "this example has no qid:, which tells the sequence that it is of",
        "QUERY_ID_WITHOUT_SEQUENCES": "this example has a qid:, which only losses of sequences, "
        "ranks and times take",
        "QUERY_ID_RETURNS": f"qid:{found} comes back after another; the positions of a sequence "
        "follow each other",
        "BAD_INDEX": f"found {quoted} where a feature index is expected, which is a whole number",
        "INDEX_TOO_LARGE": f"the index {quoted} does not fit 64 bits",
        "INDEX_NOT_INCREASING": f"the index {quoted} is not above {previous}, the one before it",
        "INDEX_BELOW_FIRST": f"the index {quoted} is below {first}, the first allowed",
        "BAD_VALUE": f"found {quoted} where the feature's value is expected, which is a number",
        "VALUE_OUT_OF_RANGE": f"the value {quoted} is too large or too close to 0 for its type",
        "VALUE_NOT_FINITE": f"the value {quoted} is not finite",
        "LONE_CR": "found a CR inside the line; lines end in LF or CR LF",
        "LEFT_OUT": f"found {quoted} where index:value is expected",
    }
    if code == "BAD_LABEL" and found.startswith("\ufeff"):
        return "found a byte order mark before the label; save the text as UTF-8 without one"
    if code == "INDEX_BELOW_FIRST" and zero_based is False and found == "0":
        return f"{sentences[code]}; features count from 1: add 1 to every index"
    if code != "INDEX_ABOVE_FEATURES":
        return sentences[code]
    if n_features is None:
        return sentences["INDEX_TOO_LARGE"]
    base = "0" if zero_based is True else "1"
    return f"the index {quoted} is not among the {n_features} features, counted from {base}"
