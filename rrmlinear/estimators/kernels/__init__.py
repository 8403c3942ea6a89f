"""Kernel machines: a classifier and a regressor, by pairs of duals where the loss admits it, and
else as linear models of features.
"""
