"""A recorded case: a problem by its name, and the choices of a fit. CASES fills as parts add."""

from dataclasses import dataclass, field
from typing import Any

#: Few enough for rounding to stay small.
PASSES = 6


@dataclass(frozen=True)
class Case:
    """A fit to record.

    door      "fit" with a Parameter; "train", the command line; "path"; or an estimator's name
    problem   one of `problems`
    choices   of the Parameter, or of the estimator; arguments of the command line
    bias      of the appended column of "fit", negative for none
    start     choices of a fit before, whose model this one starts from
    within    how far weights and objectives may be off, relative, on the machine recorded;
              infinite: the primal objectives agree by their gaps, passes need not
    why       the reason where ``within`` is not the default
    slow      whether the test is marked so
    """

    problem: str
    choices: Any
    door: str = "fit"
    bias: float = -1.0
    start: dict[str, Any] = field(default_factory=dict)
    within: float = 1e-12
    why: str = ""
    slow: bool = False


CASES: dict[str, Case] = {}


def add(name, problem, choices, **more):
    if name in CASES:
        raise ValueError(f"the case {name!r} is there twice")
    CASES[name] = Case(problem, choices, **more)


def name_of(title, problem, bias, choices):
    """A name that tells a line from the others of its title, wherever it stands."""
    said = [f"{name} {value}" for name, value in choices.items()]
    with_bias = f" and {bias:g}" if bias > 0 else ""
    return f"{title}: {', '.join([problem + with_bias, *said])}"


def each(title, *lines, **shared):
    """Cases of one idea, with the choices that they share."""
    for problem, bias, own in lines:
        rules = {"gap_tol": 1e-12, "max_passes": PASSES} | shared
        if "gap_tol" in own:
            rules["max_passes"] = 4000
        choices = rules | own
        add(name_of(title, problem, bias, own), problem, choices, bias=bias)


WW = "weston-watkins"


def cheap(solver):
    """The first steps of 40 are above the start with a larger C."""
    return {"C": 0.02} if solver == 40 else {}


BALL = {"l1": 0.1, "radius": 0.4}
ALL_OF_GRADIENTS = (34, 35, 36, 37, 38, 39, 40, 42, "newton")
