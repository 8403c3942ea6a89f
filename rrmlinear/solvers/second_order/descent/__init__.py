"""Second order without a matrix: L-BFGS, and Newton's method by conjugate gradients, for smooth
risks with the squared norm.
"""
