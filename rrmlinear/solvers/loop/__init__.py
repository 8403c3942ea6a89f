"""The one outer loop of all solvers, with its certificate, stopping and result; threads; and the
steps that several solvers share: backtracking, momentum, epochs, mixing, line search. tolerances.py
holds the bounds of rounding.
"""
