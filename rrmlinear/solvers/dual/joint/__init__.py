"""Ascent on the dual of several problems over the same rows at once, one class against the rest
each: a row is read once for all of them.
"""
