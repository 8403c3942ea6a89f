from rrmlinear.regularizers.base import Regularizer

class BesideIntercept(Regularizer):
    inner: Regularizer
    def __init__(self, inner: Regularizer) -> None: ...
