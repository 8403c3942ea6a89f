"""Norms and groups of columns: partitions, sums of norms over groups, and functions of a norm.
Regularizers that are separable by coordinates stand one folder up.
"""
