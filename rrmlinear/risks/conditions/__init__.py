"""Conditions on the duals of a risk: a free intercept (their sum is 0), a budget (their sum is
limited), both, and either in each group of examples. They hold over any layout of one score.
"""
