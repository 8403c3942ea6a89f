class BlockLoss:
    cost: float
