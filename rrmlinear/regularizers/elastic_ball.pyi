from rrmlinear.regularizers.base import Regularizer

class ElasticBall(Regularizer):
    gamma: float
    radius: float
    def __init__(self, gamma: float, radius: float) -> None: ...
