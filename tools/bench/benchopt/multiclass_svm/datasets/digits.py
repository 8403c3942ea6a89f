"""Handwritten digits, 1797 × 64 in 10 classes, scaled to 0 … 1."""

from benchopt import BaseDataset
from sklearn.datasets import load_digits


class Dataset(BaseDataset):
    """The digits that come with scikit-learn."""

    name = "digits"
    requirements = ["scikit-learn"]

    def get_data(self):
        """X and y."""
        X, y = load_digits(return_X_y=True)
        return {"X": X / 16, "y": y}
