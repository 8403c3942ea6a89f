"""Templates of CRF++, as templates of the house."""

from __future__ import annotations

import re

from rrmlinear.data.attributes.templates import TemplateError

#: A line that has a macro, or is a bigram alone.
LINE = re.compile(r"^[UB][^\n]*%x\[|^B\s*$", re.MULTILINE)
MACRO = re.compile(r"%x\[\s*(-?\d+)\s*,\s*(\d+)\s*\]")


def is_of_crfpp(text: str) -> bool:
    """Whether a text has lines as U00:%x[-1,0]."""
    return LINE.search(text) is not None


def translated(text: str, path: str, n_columns: int) -> str:
    """Our template for files with ``n_columns`` columns before the label.

    Attributes are the same but for their names: what stands around the macros has no other use than
    to tell them apart. A line B alone is the transitions, which every model has. TemplateError with
    ``path`` and the line of the first fault.
    """
    lines = ["padded", "columns " + " ".join(f"c{k}" for k in range(n_columns))]
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line or line == "B":
            continue
        place = f"{path}, line {number}"
        if line[0] not in "UB":
            raise TemplateError(f"{place}: found {line!r}; lines of CRF++ begin with U or B")
        if "%" in MACRO.sub("", line):
            raise TemplateError(f"{place}: {line!r} has a macro that is none of %x[row,column]")
        parts = []
        for row, column in MACRO.findall(line):
            if int(column) >= n_columns:
                raise TemplateError(
                    f"{place}: column {column} is asked for; there are 0 … {n_columns - 1} before "
                    "the label"
                )
            parts.append(f"c{column}[{int(row)}]")
        if line[0] == "B" and not parts:
            continue
        lines.append(("edge " if line[0] == "B" else "") + ("|".join(parts) or "bias"))
    return "\n".join([*lines, ""])
