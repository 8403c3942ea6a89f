"""A LIBSVM file: `-d libsvm[path=letter.scale]`."""

import numpy as np
from benchopt import BaseDataset

from rrmlinear import read_libsvm


class Dataset(BaseDataset):
    """A file by its path, plain or compressed; none by default."""

    name = "libsvm"
    parameters = {"path": [None]}

    def skip(self):
        """Without a path there is nothing to read."""
        return (True, "give it a path") if self.path is None else (False, None)

    def get_data(self):
        """X and y, its labels as class numbers."""
        problem = read_libsvm(self.path)
        return {"X": problem.to_scipy(), "y": np.unique(problem.labels, return_inverse=True)[1]}
