"""Coordinate ascents on the dual, one example at a time: losses of one score (ProxSDCA), their
acceleration, and a free intercept. Folders below hold losses of several scores and other steps.
"""
