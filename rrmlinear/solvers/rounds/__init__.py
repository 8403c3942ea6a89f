"""Dual ascents on parts of the rows that meet in rounds: a part and its round, sums over parts in a
fixed order, the search along their common direction, and the loop. A `Fleet` knows who holds the
parts: processes of a cluster, or this one.
"""
