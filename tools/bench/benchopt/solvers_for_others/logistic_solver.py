"""Our solver for benchopt's benchmark_logreg_l2.

Start it as: benchopt run benchmark_logreg_l2 \
    -s tools/bench/benchopt/solvers_for_others/logistic_solver.py
"""

import numpy as np
from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from rrmlinear import LogisticRegression

#: A smaller gap cannot be proved in double precision.
SMALLEST = 1e-12
#: Runs without progress after which benchopt stops.
PATIENCE = 6


class Solver(BaseSolver):
    """Σ log(1 + e^(−y a)) + lmbd/2 ‖w‖² to a relative gap that falls."""

    name = "rrmlinear"
    sampling_strategy = "tolerance"
    # loose tolerances leave the weights of one and the same pass
    stopping_criterion = SufficientProgressCriterion(patience=PATIENCE)
    requirements = ["rrmlinear"]

    def set_objective(self, X, y, lmbd, fit_intercept):
        """The machine of these data; C is the inverse of lmbd."""
        self.X, self.y = X, y
        self.machine = LogisticRegression(C=1 / lmbd, fit_intercept=fit_intercept)

    def get_next(self, tolerance):
        """The tolerance after this one."""
        return min(tolerance, 10.0) / 10

    def run(self, tolerance):
        """Train to this relative gap."""
        self.machine.set_params(tol=max(tolerance, SMALLEST)).fit(self.X, self.y)

    def get_result(self):
        """Weights, the intercept behind them where there is one."""
        machine = self.machine
        intercept = machine.intercept_ if machine.fit_intercept else []
        return {"beta": np.append(machine.coef_, intercept)}
