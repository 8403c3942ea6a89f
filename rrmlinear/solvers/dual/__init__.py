"""Coordinate ascents on the dual, one example at a time: losses of one score (ProxSDCA), those of
several in folders below, their acceleration, and a free intercept. Each family has a kernel.
"""
