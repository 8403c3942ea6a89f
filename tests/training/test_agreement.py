"""Every solver type that takes a problem finds the same optimum: one test over the registry."""

from dataclasses import dataclass

import numpy as np
import pytest
from kinds_of_labels import labelled_rows
from members import labels_in_domain

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.solvers import SOLVERS

AGREEMENT = 1e-7
# What rounding may put a dual value above a primal one, relative.
ROUNDING = 1e-12
# Where zero is not the optimum.
C, C_OF_NORMS = 0.05, 0.2
#: Of regularizers; a radius makes norms constraints, which have a test of their own.
CHOICES = {"l1": 0.02, "groups": [0, 1, 0, 2], "radius": 0.05}
#: Losses that all regularizers are held against: smooth and not, of one score and of several; and
#: FIRST without an intercept too.
EACH = ("hinge", "smooth-hinge", "squared", "absolute", "softmax", "crammer-singer")
FIRST = ("l2", "elastic-net", "l1", "elastic-ball")
# Types that come to the optimum long before their certificate does have these limits, and end where
# they agree with the others. At a kink the steps 1/(λt) of Pegasos close in on the optimum by 1/t
# alone, and so do means of cutting planes; AGM-EF without strong convexity by 1/t².
SLOW = {40: {"max_passes": 3000}, 41: {"batch": 1000, "max_passes": 30_000}}
SLOW_WITH_L1 = {number: {"max_passes": 20_000} for number in (35, 36)}
AGREEMENT_AT_KINKS = {40: 1e-3, 41: 1e-4}


@dataclass(frozen=True)
class Case:
    """A problem: a loss, smoothed or not, a regularizer and an intercept."""

    loss: str
    smoothing: float | None
    regularizer: str
    intercept: str

    def choices(self, number=32):
        """Those of a Parameter for this solver type."""
        regularizer = REGULARIZERS[self.regularizer]
        given = [*regularizer.needed, *(["l1"] if "l1" in regularizer.takes else [])]
        cost = C if self.regularizer in FIRST else C_OF_NORMS
        chosen = {"solver": number, "C": cost} | {name: CHOICES[name] for name in given}
        if "loss" in SOLVERS[number].choices:
            chosen["loss"] = self.loss
        if self.regularizer != SOLVERS[number].regularizer:
            chosen["regularizer"] = self.regularizer
        if self.smoothing is not None:
            chosen["smoothing"] = self.smoothing
        if self.intercept == "free":
            chosen["free_bias"] = True
        return chosen

    @property
    def smooth(self):
        return select(Parameter(**self.choices(35))).loss.smoothing > 0

    def types(self):
        """The solver types that take it."""
        return [number for number in SOLVERS if self.is_taken_by(number)]

    def is_taken_by(self, number):
        row = SOLVERS[number]
        if self.loss != row.loss and "loss" not in row.choices:
            return False
        if self.regularizer != row.regularizer and "regularizer" not in row.choices:
            return False
        try:
            select(Parameter(**self.choices(number)))
        except ValueError:
            return False
        return True


def cases():
    for loss, kind in LOSSES.items():
        smoothings = [None, 0.5] if "smoothing" in kind.takes else [None]
        intercepts = ["regularized"] + ["free"] * (kind.kind != "multiclass")
        for smoothing in smoothings:
            for name, regularizer in REGULARIZERS.items():
                if name not in FIRST and (loss not in EACH or smoothing is not None):
                    continue
                if regularizer.single and kind.kind != "multiclass":
                    continue
                plain = name in FIRST and loss in EACH and smoothing is None
                for intercept in [*intercepts, *["none"] * plain]:
                    case = Case(loss, smoothing, name, intercept)
                    if len(case.types()) > 1:
                        yield case


def name_of(case):
    smoothing = "" if case.smoothing is None else f" {case.smoothing}"
    return f"{case.loss}{smoothing}, {case.regularizer}, {case.intercept}"


@pytest.fixture(scope="module")
def problems():
    """By the kind of a loss; for the intercept, the classes are not of one size."""
    X, labels = labelled_rows(45, 3, [1.0, 0.0, -0.5, 0.0], 0.2, 1.5)
    return {
        (kind, bias): Problem.from_arrays(X, y, bias=bias)
        for kind, y in labels.items()
        for bias in (-1.0, 1.0)
    }


@pytest.mark.parametrize("case", list(cases()), ids=name_of)
def test_all_solvers_of_a_problem_find_its_optimum(problems, fit, case):
    problem = problems[LOSSES[case.loss].kind, -1.0 if case.intercept == "none" else 1.0]
    problem = problem.relabelled(labels_in_domain(case.loss, problem.labels))
    slow = SLOW | (SLOW_WITH_L1 if case.regularizer not in ("l2", "elastic-net") else {})
    least, results = np.inf, {}
    for number in sorted(case.types(), key=lambda number: number in slow):
        agreement = AGREEMENT if case.smooth else AGREEMENT_AT_KINKS.get(number, AGREEMENT)
        given = {"gap_tol": 2e-8} | slow.get(number, {}) | case.choices(number)
        enough = least + agreement / 2 * abs(least) if number in slow else -np.inf
        result = fit(
            problem, on_pass=lambda row, enough=enough: row.primal <= enough, **given
        ).result
        assert result.solved or number in slow, (number, result.shortfall())
        assert result.primal - least <= agreement * abs(least), number
        least, results[number] = min(least, result.primal), result
    bound = max(result.dual for result in results.values())
    for number, result in results.items():
        assert result.primal >= bound - ROUNDING * abs(bound), number
        assert number in slow or result.primal - least <= AGREEMENT * abs(least), number
