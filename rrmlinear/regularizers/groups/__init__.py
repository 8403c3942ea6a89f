"""Norms and groups of columns: partitions, sums of norms over groups, and functions of a norm. What
is separable by coordinates stands one folder up.
"""
