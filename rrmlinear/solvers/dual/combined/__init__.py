"""Best combinations of the moves of passes: the step on the duals of losses of one score, and when
passes are followed by one.
"""
