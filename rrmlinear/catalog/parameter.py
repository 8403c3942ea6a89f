"""The Parameter: the choices of a user."""

from __future__ import annotations

import textwrap

from rrmlinear.catalog.choices import CHOICES, Choices
from rrmlinear.catalog.selection import select
from rrmlinear.data.problem import Problem


def _listed() -> str:
    """A paragraph for each choice, of its meaning and its default."""
    paragraphs = []
    for name, row in CHOICES.items():
        default = f" (default: {row.default_text})" if row.default_text else ""
        meaning = f"{row.meaning}{default}".replace("|", r"\|")
        indent = " " * 4
        paragraphs.append(
            f"{name}\n"
            + textwrap.fill(meaning, 96, initial_indent=indent, subsequent_indent=indent)
        )
    return "\n".join(paragraphs)


class Parameter(Choices):
    __doc__ = f"""Choices for one training run, checked when they are used or by `check`.

None stands for the default of the loss or the solver. A choice without effect, such as epsilon
with the hinge, is an error. The tables of solver types, losses and regularizers are in
docs/solvers.md, docs/losses.md and docs/regularizers.md.

Parameters
----------
{_listed()}

Examples
--------
>>> from rrmlinear import Parameter
>>> Parameter(solver="auto", loss="huber", huber=0.5).C
1.0
>>> Parameter(solver="auto", loss="hinge", epsilon=0.5).check()
Traceback (most recent call last):
rrmlinear.catalog.errors.ChoiceError: ...
"""

    def __repr__(self) -> str:
        """Those choices that are not the defaults."""
        given = {
            name: value
            for name, row in CHOICES.items()
            if repr(value := getattr(self, name)) != repr(row.default)
        }
        if "class_weights" in given:
            given["class_weights"] = dict(self.class_weights)
        return f"Parameter({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def check(self, problem: Problem | None = None) -> None:
        """Raise a ChoiceError for wrong choices, and a ValueError for a wrong problem.

        Without a problem it checks everything that does not depend on the data.
        """
        selection = select(self)
        if problem is not None:
            selection.check_problem(problem)
