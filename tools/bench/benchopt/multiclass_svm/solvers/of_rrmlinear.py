"""Our solvers of the multiclass machine: by themselves, and the papers' two block solvers."""

import numpy as np
from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from rrmlinear import Parameter, Problem, fit

#: A smaller gap cannot be proved in double precision.
SMALLEST = 1e-12
#: Runs without progress after which benchopt stops.
PATIENCE = 6
TYPES = {"auto": "auto", "walrus": 30, "shark": 31}


class Solver(BaseSolver):
    """Trains to a relative gap that falls."""

    name = "rrmlinear"
    sampling_strategy = "tolerance"
    # loose tolerances leave the weights of one and the same pass
    stopping_criterion = SufficientProgressCriterion(patience=PATIENCE)
    parameters = {"solver": list(TYPES)}
    requirements = ["rrmlinear"]
    references = ["Y. Wang and C. D. Scott, An Exact Solver for the Weston-Watkins SVM Subproblem"]

    def skip(self, X, y, C, loss):
        """The block solvers are for the loss of Weston and Watkins."""
        if self.solver != "auto" and loss != "weston-watkins":
            return True, f"{self.solver} is for the loss of Weston and Watkins"
        return False, None

    def set_objective(self, X, y, C, loss):
        """The data as a problem, whose numbers from 0 are the labels."""
        self.problem = Problem.from_arrays(X, y)
        self.choices = {"solver": TYPES[self.solver], "C": C}
        if self.solver == "auto":
            self.choices["loss"] = loss
        self.k = int(y.max()) + 1

    def get_next(self, tolerance):
        """The tolerance after this one."""
        return min(tolerance, 10.0) / 10

    def run(self, tolerance):
        """Train to this relative gap."""
        self.model = fit(self.problem, Parameter(**self.choices, gap_tol=max(tolerance, SMALLEST)))

    def get_result(self):
        """Weights, a row for each class."""
        W = np.zeros((self.k, self.problem.n_features))
        W[self.model.labels] = self.model.weights.T
        return {"W": W}
