"""No solver asks a loss the same twice at the same scores, or searches an intercept twice there.

Trials of BMRM along a line are left out: to keep what they compute costs more than to ask again.
"""

from collections import Counter

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.margin import Hinge, SmoothHinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.gradient.agm import AGM
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.gradient.pragam import Pragam
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.primal_dual.pdprox import Pdprox
from rrmlinear.solvers.second_order.newton import Newton

# Few passes: later ones of Newton move w by rounding alone.
N, D, PASSES = 120, 5, 3


class CountedTerms:
    """The terms of a risk, counting by the loss, the question and the bits of the scores."""

    def __init__(self, terms, counts):
        self.terms, self.counts = terms, counts

    def __getattr__(self, name):
        return getattr(self.terms, name)

    def _seen(self, names, scores):
        for name in names:
            self.counts[name, self.terms.loss.smoothing, scores.tobytes()] += 1

    def total(self, scores):
        self._seen(["value"], scores)
        return self.terms.total(scores)

    def derivatives(self, scores):
        self._seen(["derivatives"], scores)
        return self.terms.derivatives(scores)

    def tangent(self, scores):
        self._seen(["value", "derivatives"], scores)
        return self.terms.tangent(scores)

    def curvatures(self, scores):
        self._seen(["curvatures"], scores)
        return self.terms.curvatures(scores)


class CountedRisk(ScalarRisk):
    """A risk whose evaluations count what they ask for."""

    def at(self, scores, warm=None):
        at = super().at(scores, warm)
        at.terms = CountedTerms(self.terms, self.counts)
        if self.condition is not None:
            at.condition = CountedSearch(self.condition, self.counts, self.loss.smoothing)
        return at

    def of_loss(self, loss):
        rows = self.rows if self.spec is None else self.rows.with_bias(self.bias)
        other = CountedRisk(rows, loss, self.labels, self.costs, self.threads, self.spec)
        other.counts = self.counts
        return other


class CountedSearch:
    """A condition that counts its searches."""

    def __init__(self, condition, counts, smoothing):
        self.condition, self.counts, self.smoothing = condition, counts, smoothing

    def __getattr__(self, name):
        return getattr(self.condition, name)

    def best(self, scores, warm):
        self.counts["search", self.smoothing, scores.tobytes()] += 1
        return self.condition.best(scores, warm)


SOLVERS = {
    "fista": (FISTA, SmoothHinge(0.1)),
    "fista-logistic": (FISTA, Logistic()),
    "newton": (Newton, SmoothHinge(0.1)),
    "newton-hinge": (Newton, Hinge()),
    "agm": (AGM, SmoothHinge(0.1)),
    "agm-hinge": (AGM, Hinge()),
    "agm-one": (lambda *given: AGM(*given, memory="one"), Hinge()),
    "agm-dual": (lambda *given: AGM(*given, route="dual"), Hinge()),
    "pragam": (Pragam, Hinge()),
    "pdprox": (Pdprox, Hinge()),
    "pdprox-averages": (lambda *given: Pdprox(*given, restarts=False), Hinge()),
    "bmrm": (BMRM, Hinge()),
    "bmrm-mean": (lambda *given: BMRM(*given, update="ls", line_search=False), Hinge()),
}


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free"])
@pytest.mark.parametrize("name", SOLVERS)
def test_nothing_is_computed_twice(name, free):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((N, D))
    y = np.where(X @ np.ones(D) + rng.standard_normal(N) > 0.5, 1.0, -1.0)
    make, loss = SOLVERS[name]
    rows, condition = Problem.from_arrays(X, y, bias=1.0).rows, Intercept() if free else None
    risk = CountedRisk(rows, loss, y, np.full(N, 0.5), condition=condition)
    counts = risk.counts = Counter()
    result = make(risk, L2()).solve(Stopping(gap_tol=1e-9, max_passes=PASSES))
    assert result.passes == PASSES
    assert counts
    twice = Counter(what for (what, *_), times in counts.items() if times > 1)
    assert not twice
