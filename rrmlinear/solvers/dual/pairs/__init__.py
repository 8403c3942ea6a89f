"""Ascents on the dual by pairs of duals, whose sum stays: over rows of a kernel, and over examples
of a linear machine.
"""
