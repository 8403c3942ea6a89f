"""Descent over features, with a 1-norm: coordinate descent for the squared loss (the Lasso and the
elastic net), Newton's method for smooth losses. The kernels visit columns of the data.
"""
