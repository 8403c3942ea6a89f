"""Boosting by linear programs: the best hypothesis for weights of examples, the master problem over
those found, and the generation of columns that proves how far its ensemble is from the best of all.
"""
