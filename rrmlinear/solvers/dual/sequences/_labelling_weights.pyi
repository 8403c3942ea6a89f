class LabellingWeights:
    """Weights of nodes and pairs of `FrankWolfe`."""
