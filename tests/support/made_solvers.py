"""Solvers of a risk, or of rows and labels: those of their choices that a solver takes itself, and
the others in its task.
"""

import inspect

from rrmlinear.solvers.loop.task import Task


def of_risk(kind, risk, omega, **choices):
    own, others = _parted(kind, choices)
    return kind(Task.of(risk, omega, **others), **own)


def of_rows(kind, rows, y, costs, loss, omega, **choices):
    own, others = _parted(kind, choices)
    return kind(Task.of_rows(rows, y, costs, loss, omega, **others), **own)


def _parted(kind, choices):
    names = inspect.signature(kind).parameters
    own = {name: value for name, value in choices.items() if name in names}
    return own, {name: value for name, value in choices.items() if name not in own}
