"""Regularizers Ω with value, conjugate, prox and the gradient of the conjugate."""
