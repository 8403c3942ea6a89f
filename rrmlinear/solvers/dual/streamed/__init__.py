"""Passes of ascents over rows that are streamed: which blocks come and how often, copies of the
examples with a gap, and copies of all in single precision.
"""
