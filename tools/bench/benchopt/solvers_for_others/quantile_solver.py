"""Our solver for benchopt's benchmark_quantile_regression.

Start it as: benchopt run benchmark_quantile_regression \
    -s tools/bench/benchopt/solvers_for_others/quantile_solver.py
"""

from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from rrmlinear import QuantileRegressor

#: A smaller gap cannot be proved in double precision.
SMALLEST = 1e-12
#: Runs without progress after which benchopt stops.
PATIENCE = 6


class Solver(BaseSolver):
    """The mean of the quantile loss plus lmbd ‖w‖₁, to a relative gap that falls."""

    name = "rrmlinear"
    sampling_strategy = "tolerance"
    # loose tolerances leave the weights of one and the same pass
    stopping_criterion = SufficientProgressCriterion(patience=PATIENCE)
    requirements = ["rrmlinear"]

    def skip(self, X, y, lmbd, quantile, fit_intercept):
        """The benchmark's objective takes its intercept from the first weight."""
        if fit_intercept:
            return True, "the objective has no place of its own for an intercept"
        return False, None

    def set_objective(self, X, y, lmbd, quantile, fit_intercept):
        """The regression of these data."""
        self.X, self.y = X, y
        self.machine = QuantileRegressor(quantile=quantile, alpha=lmbd, fit_intercept=False)

    def get_next(self, tolerance):
        """The tolerance after this one."""
        return min(tolerance, 10.0) / 10

    def run(self, tolerance):
        """Train to this relative gap."""
        self.machine.set_params(tol=max(tolerance, SMALLEST)).fit(self.X, self.y)

    def get_result(self):
        """Weights."""
        return {"params": self.machine.coef_}
