"""Conditions on the duals of a risk: a free intercept (their sum is 0) and a budget (their sum is
limited). They stand over any layout of one score.
"""
