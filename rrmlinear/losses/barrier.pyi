from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.block_base import BlockLoss

class PiecesInside(ScalarLoss):
    loss: ScalarLoss
    def __init__(self, loss: ScalarLoss, mu: float) -> None: ...

class WestonWatkinsInside(BlockLoss):
    def __init__(self, mu: float) -> None: ...

class CrammerSingerInside(BlockLoss):
    def __init__(self, mu: float) -> None: ...
