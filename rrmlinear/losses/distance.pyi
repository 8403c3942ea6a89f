from rrmlinear.losses.block_base import BlockLoss

class Distance(BlockLoss):
    def __init__(self, smoothing: float = 0.0) -> None: ...
