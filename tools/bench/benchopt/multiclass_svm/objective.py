"""The objective of a multiclass support vector machine, for benchopt.

benchopt run tools/bench/benchopt/multiclass_svm

minimize ½‖W‖² + C Σ_i φ(W x_i, y_i) over W, k × d, without intercepts. φ is the loss of Weston and
Watkins, Σ_{j≠y} max(0, 1 + a_j − a_y), or the loss of Crammer and Singer, the largest term of this
sum.
"""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """½‖W‖² + C Σ φ at the weights that a solver returns."""

    name = "Multiclass SVM"
    min_benchopt_version = "1.6"
    parameters = {"loss": ["weston-watkins", "crammer-singer"], "C": [1.0, 0.01]}

    def set_data(self, X, y):
        """X (n × d, dense or sparse) and y, class numbers 0 … k − 1."""
        self.X, self.y = X, y
        self.n_classes = int(y.max()) + 1

    def evaluate_result(self, W):
        """The objective, and the part of the labels that W misses."""
        scores = np.asarray(self.X @ W.T)
        at = np.arange(len(self.y)), self.y
        terms = np.maximum(1 + scores - scores[at][:, np.newaxis], 0)
        terms[at] = 0
        of_examples = terms.sum(axis=1) if self.loss == "weston-watkins" else terms.max(axis=1)
        value = 0.5 * float((W * W).sum()) + self.C * float(of_examples.sum())
        return {"value": value, "errors": float((scores.argmax(axis=1) != self.y).mean())}

    def get_one_result(self):
        """Weights of zero."""
        return {"W": np.zeros((self.n_classes, self.X.shape[1]))}

    def get_objective(self):
        """What a solver is given."""
        return {"X": self.X, "y": self.y, "C": self.C, "loss": self.loss}
