"""Gaussian classes that overlap."""

from benchopt import BaseDataset
from sklearn.datasets import make_blobs


class Dataset(BaseDataset):
    """n examples of d features in k classes."""

    name = "blobs"
    requirements = ["scikit-learn"]
    parameters = {"n, d, k": [(10_000, 50, 20)], "spread": [5.0], "seed": [0]}

    def get_data(self):
        """X and y."""
        X, y = make_blobs(
            self.n, self.d, centers=self.k, cluster_std=self.spread, random_state=self.seed
        )
        return {"X": X / abs(X).max(), "y": y}
