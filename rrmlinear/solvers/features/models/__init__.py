"""Quadratic models of a risk over a working set of features: by their Gram matrix and by columns,
Newton steps on the faces of weights in use, and the choice of the model.
"""
