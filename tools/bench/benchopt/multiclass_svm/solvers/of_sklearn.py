"""LIBLINEAR's multiclass machine, as scikit-learn calls it."""

import warnings

import numpy as np
from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

#: Runs without progress after which benchopt stops.
PATIENCE = 6


class Solver(BaseSolver):
    """`LinearSVC(multi_class="crammer_singer")` at a tolerance that falls."""

    name = "sklearn"
    sampling_strategy = "tolerance"
    # loose tolerances leave the weights of one and the same pass
    stopping_criterion = SufficientProgressCriterion(patience=PATIENCE)
    requirements = ["scikit-learn"]

    def skip(self, X, y, C, loss):
        """It has the loss of Crammer and Singer alone."""
        if loss != "crammer-singer":
            return True, "scikit-learn has the loss of Crammer and Singer alone"
        if len(np.unique(y)) == 2:
            return True, "scikit-learn has one column of weights for two classes"
        return False, None

    def set_objective(self, X, y, C, loss):
        """Data and C."""
        self.X, self.y, self.C = X, y, C

    def get_next(self, tolerance):
        """The tolerance after this one."""
        return min(tolerance, 10.0) / 10

    def run(self, tolerance):
        """Train by LIBLINEAR's rule with this tolerance."""
        machine = LinearSVC(
            multi_class="crammer_singer",
            C=self.C,
            tol=tolerance,
            fit_intercept=False,
            max_iter=100_000,
            random_state=0,
        )
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            self.W = machine.fit(self.X, self.y).coef_

    def get_result(self):
        """Weights, a row for each class."""
        return {"W": self.W}
