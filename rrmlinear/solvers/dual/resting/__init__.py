"""Examples at rest, whose rows are not read while v moves little: how far it may move, and where
that is worth knowing.
"""
