"""Loops over sixteen labels of one example, side by side."""
