from rrmlinear.regularizers.base import Norm, Regularizer

class L2(Regularizer):
    def __init__(self, modulus: float = 1.0) -> None: ...

class L1(Norm):
    l1: float
    def __init__(self, l1: float) -> None: ...

class ElasticNet(Regularizer):
    l1: float
    def __init__(self, l1: float, modulus: float = 1.0) -> None: ...
