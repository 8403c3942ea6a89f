"""Rough costs of visits in nanoseconds: for each nonzero, and for each nonzero and class."""

NONZERO_COST, CLASS_COST = 0.5, 0.23
