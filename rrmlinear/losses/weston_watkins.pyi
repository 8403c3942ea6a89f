from rrmlinear.losses.block_base import BlockLoss

class WestonWatkins(BlockLoss):
    def __init__(self, smoothing: float = 0.0) -> None: ...

class WestonWatkinsWalrus(WestonWatkins):
    def __init__(self) -> None: ...

class WestonWatkinsShark(WestonWatkins):
    tolerance: float
    def __init__(self, tolerance: float = 1e-6) -> None: ...
