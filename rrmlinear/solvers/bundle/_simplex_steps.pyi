class SimplexSteps:
    """Steps of the active-set method of `SimplexQP`."""
