"""Cutting planes of the whole risk: BMRM and ls-BMRM, their models, and the quadratic program on
the simplex.
"""
