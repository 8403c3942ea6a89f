from rrmlinear.regularizers.base import Norm, Regularizer

class OfNorm(Regularizer):
    norm: Norm

class NormPower(OfNorm):
    power: float
    def __init__(self, norm: Norm, power: float = 2.0) -> None: ...

class NormBall(OfNorm):
    radius: float
    def __init__(self, norm: Norm, radius: float) -> None: ...
