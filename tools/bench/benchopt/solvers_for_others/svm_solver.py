"""Our solver for benchopt's benchmark_linear_svm_binary_classif_no_intercept.

Start it as: benchopt run benchmark_linear_svm_binary_classif_no_intercept \
    -s tools/bench/benchopt/solvers_for_others/svm_solver.py
"""

from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from rrmlinear import LinearSVC

#: A smaller gap cannot be proved in double precision.
SMALLEST = 1e-12
#: Runs without progress after which benchopt stops.
PATIENCE = 6


class Solver(BaseSolver):
    """½‖w‖² + C Σ max(0, 1 − y a) to a relative gap that falls."""

    name = "rrmlinear"
    sampling_strategy = "tolerance"
    # loose tolerances leave the weights of one and the same pass
    stopping_criterion = SufficientProgressCriterion(patience=PATIENCE)
    requirements = ["rrmlinear"]

    def set_objective(self, X, y, C):
        """The machine of these data."""
        self.X, self.y = X, y
        self.machine = LinearSVC(loss="hinge", C=C, fit_intercept=False)

    def get_next(self, tolerance):
        """The tolerance after this one."""
        return min(tolerance, 10.0) / 10

    def run(self, tolerance):
        """Train to this relative gap."""
        self.machine.set_params(tol=max(tolerance, SMALLEST)).fit(self.X, self.y)

    def get_result(self):
        """Weights."""
        return {"beta": self.machine.coef_.ravel()}
