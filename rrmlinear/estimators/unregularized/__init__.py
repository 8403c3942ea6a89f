"""Losses without a regularizer: a basis of their scores, rounds of C, and feasible duals."""
