"""Ascent on the problems of many labels, sixteen at a time."""
