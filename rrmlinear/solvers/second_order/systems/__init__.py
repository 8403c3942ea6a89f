"""Linear systems of Newton's method, one after the other: by a factor of the matrix or of the
products of rows, by parts of classes or groups, or by conjugate gradients.
"""
