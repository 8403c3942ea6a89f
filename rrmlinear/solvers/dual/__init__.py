"""Ascents on the dual by visits of examples, of one score or of blocks of classes, their
acceleration, and their intercept. One kernel for each family.
"""
