"""Whole-data functions of the weights, for solvers that take all examples at once."""
