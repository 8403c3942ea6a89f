"""Coordinate ascents on the dual, one example at a time: losses of one score (ProxSDCA), losses of
several by blocks (BlockAscent), their acceleration, and a free intercept. Each family has a kernel.
"""
