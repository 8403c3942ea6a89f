from numpy.typing import ArrayLike

from rrmlinear.regularizers.base import Regularizer

class Norm(Regularizer):
    degree: int
    def dual_norm_of(self, v: ArrayLike) -> float: ...
