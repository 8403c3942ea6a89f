"""Dual ascent over sequences: a block is a mixture of labellings of one sequence, and the best
labelling, found by dynamic programming, says where to step.
"""
