from rrmlinear.regularizers.base import Regularizer

class L2(Regularizer):
    def __init__(self, strength: float = 1.0) -> None: ...

class L1(Regularizer):
    l1: float
    def __init__(self, l1: float) -> None: ...

class ElasticNet(Regularizer):
    l1: float
    def __init__(self, l1: float, strength: float = 1.0) -> None: ...
