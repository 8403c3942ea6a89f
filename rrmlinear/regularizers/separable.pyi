from rrmlinear.regularizers.base import Regularizer

class L2(Regularizer): ...

class ElasticNet(Regularizer):
    l1: float
    def __init__(self, l1: float) -> None: ...
