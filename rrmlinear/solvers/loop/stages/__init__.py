"""Several solvers in turn: the run that hands the best points from one to the next, and the turns
of its stages, which say when one is slow.
"""
