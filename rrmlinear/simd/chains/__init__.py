"""Loops over the k labels of the positions of one sequence: sums over all labellings, by weights
and by their logarithms, and the best labelling.
"""
