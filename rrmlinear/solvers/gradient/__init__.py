"""Gradient steps over all examples: AGM-EF and its routes, Pragam, FISTA, and Pegasos, whose steps
are stochastic. They take any risk and any regularizer with a prox.
"""
