"""Our solver for benchopt's benchmark_lasso.

Start it as: benchopt run benchmark_lasso \
    -s tools/bench/benchopt/solvers_for_others/lasso_solver.py
"""

import numpy as np
from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from rrmlinear import Lasso

#: A smaller gap cannot be proved in double precision.
SMALLEST = 1e-12
#: Runs without progress after which benchopt stops.
PATIENCE = 6


class Solver(BaseSolver):
    """½‖y − Xw‖² + lmbd ‖w‖₁ to a relative gap that falls."""

    name = "rrmlinear"
    sampling_strategy = "tolerance"
    # loose tolerances leave the weights of one and the same pass
    stopping_criterion = SufficientProgressCriterion(patience=PATIENCE)
    requirements = ["rrmlinear"]

    def skip(self, X, y, lmbd, fit_intercept):
        """An operator without entries has no rows to visit."""
        if not hasattr(X, "dtype") or not hasattr(X, "astype"):
            return True, "rrmlinear takes arrays and sparse matrices"
        return False, None

    def set_objective(self, X, y, lmbd, fit_intercept):
        """The Lasso of these data; alpha is per example."""
        self.X, self.y = X, y
        self.lasso = Lasso(alpha=lmbd / len(y), fit_intercept=fit_intercept)

    def get_next(self, tolerance):
        """The tolerance after this one."""
        return min(tolerance, 10.0) / 10

    def run(self, tolerance):
        """Train to this relative gap."""
        self.lasso.set_params(tol=max(tolerance, SMALLEST)).fit(self.X, self.y)

    def get_result(self):
        """Weights, the intercept behind them where there is one."""
        lasso = self.lasso
        intercept = [lasso.intercept_] if lasso.fit_intercept else []
        return {"beta": np.append(lasso.coef_, intercept)}
